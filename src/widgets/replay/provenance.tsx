/** Whose the notebook is: the share of its lines that the model and that a person wrote. */
import React from 'react';

import type { ModelInfo, Report } from '../../api/types';
import { useReplay } from './context';

export const Provenance = React.memo(function Provenance(props: {
  report: Report;
  modelInfo: (id: string) => ModelInfo | null;
}): React.JSX.Element | null {
  const { trans, locale } = useReplay();
  const { lines, byModel, byPerson, models } = props.report.total;
  if (!lines) {
    return null;
  }
  const share = (part: number) =>
    new Intl.NumberFormat(locale, {
      style: 'percent',
      maximumFractionDigits: 0
    }).format(part / lines);
  const names = Object.entries(models)
    .sort(([, a], [, b]) => b - a)
    .map(([id, count]) =>
      trans._n('%2: %1 line', '%2: %1 lines', count, nameOf(id, props))
    );
  return (
    <div className="jp-AIServer-Replay-provenance" title={names.join('\n')}>
      <div className="jp-AIServer-Replay-shares" aria-hidden="true">
        <i className="jp-mod-model" style={{ flexGrow: byModel }} />
        <i className="jp-mod-hand" style={{ flexGrow: byPerson }} />
      </div>
      <p>
        <span className="jp-mod-model">
          {trans.__('%1 by AI', share(byModel))}
        </span>
        <span className="jp-mod-hand">
          {trans.__('%1 by hand', share(byPerson))}
        </span>
        <span>{trans._n('%1 line', '%1 lines', lines)}</span>
      </p>
    </div>
  );
});

function nameOf(
  id: string,
  { modelInfo }: { modelInfo: (id: string) => ModelInfo | null }
): string {
  return modelInfo(id)?.label || id.slice(id.indexOf(':') + 1) || id;
}
