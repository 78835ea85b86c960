/** The authorship of the notebook: what share of its lines each kind of contributor wrote. */
import { caretDownIcon, caretUpIcon } from '@jupyterlab/ui-components';
import React from 'react';

import type { Report } from '../../../api/types';
import {
  namesByLineCount,
  SHARE_KINDS,
  ShareKind,
  Shares,
  shareText
} from '../../../labels/shareLabels';
import { cellName } from '../../../labels/cellNames';
import { LinkButton } from '../buttons';
import { useReplay } from '../context';
import { contributorName } from '../../../labels/contributorLabels';
import { VirtualList } from '../../../ui/virtualList';

interface IProvenanceProps {
  report: Report;
}

export const Provenance = React.memo(function Provenance(
  props: IProvenanceProps
): React.JSX.Element | null {
  const { trans } = useReplay();
  const [isOpen, setOpen] = React.useState(false);
  const { total } = props.report;
  const labels = useShareLabels();
  if (!total.lines) {
    return null;
  }
  const Caret = isOpen ? caretUpIcon : caretDownIcon;
  const label = trans.__('Authorship by cell');
  return (
    <div className="jp-AIServer-Replay-provenance">
      <ShareBar {...total} />
      <p>
        {labels.shares(total).map(([kind, text]) => (
          <span key={kind} className={TONES[kind]}>
            {text}
          </span>
        ))}
        <LinkButton
          className="jp-AIServer-Replay-each"
          aria-expanded={isOpen}
          aria-description={label}
          title={label}
          onClick={() => setOpen(!isOpen)}
        >
          {trans._n('%1 line', '%1 lines', total.lines)}
          <Caret.react tag="span" />
        </LinkButton>
      </p>
      {isOpen && <CellShares {...props} />}
    </div>
  );
});

/**
 * The number of lines that each model and each named contributor wrote, then the shares within each
 * cell that isn't empty, in the notebook's order.
 */
function CellShares(props: IProvenanceProps): React.JSX.Element {
  const { model, trans } = useReplay();
  const labels = useShareLabels();
  const { cells, total } = props.report;
  const rows = cells
    .map((cell, index) => ({ ...cell, number: index + 1 }))
    .filter(({ lines }) => lines);
  const row = (cell: (typeof rows)[number], tabIndex: 0 | -1) => (
    <button
      type="button"
      tabIndex={tabIndex}
      title={trans.__('Go to the cell')}
      onClick={() => void model.goTo(cell.cellId)}
    >
      <span>{cellName(cell.number, trans)}</span>
      <span>{trans._n('%1 line', '%1 lines', cell.lines)}</span>
      <span>
        {labels
          .shares(cell)
          .map(([, text]) => text)
          .join(' · ')}
      </span>
      <span className="jp-AIServer-Replay-models">
        {[
          ...namesByLineCount(cell.models).map(labels.model),
          ...namesByLineCount(cell.names).map(labels.name)
        ].join(trans._p('between names', ', '))}
      </span>
      <ShareBar {...cell} />
    </button>
  );
  const names = [
    ...namesByLineCount(total.models).map(
      id => [labels.model(id), total.models[id]] as const
    ),
    ...namesByLineCount(total.names).map(
      name => [labels.name(name), total.names[name]] as const
    )
  ];
  return (
    <>
      {names.length > 0 && (
        <ul
          className="jp-AIServer-Replay-models"
          aria-label={trans.__('Lines by name')}
        >
          {names.map(([name, lines]) => (
            <li key={name}>
              {trans._n('%2: %1 line', '%2: %1 lines', lines, name)}
            </li>
          ))}
        </ul>
      )}
      <VirtualList
        className="jp-AIServer-Replay-eachCell"
        label={trans.__('Authorship by cell')}
        count={rows.length}
        keyOf={index => rows[index].cellId}
        estimate={() => 28}
        render={(index, tabIndex) => row(rows[index], tabIndex)}
      />
    </>
  );
}

/** The style class with the colour of each kind of contributor. */
const TONES: Record<ShareKind, string> = {
  byModel: 'jp-mod-model',
  byPerson: 'jp-mod-hand',
  byAgent: 'jp-mod-agent',
  byProgram: 'jp-mod-program',
  byUnknown: 'jp-mod-unknown',
  existing: 'jp-mod-existing'
};

function ShareBar(share: Shares): React.JSX.Element {
  return (
    <span className="jp-AIServer-Replay-shares" aria-hidden="true">
      {SHARE_KINDS.filter(kind => share[kind]).map(kind => (
        <i
          key={kind}
          className={TONES[kind]}
          style={{ flexGrow: share[kind] }}
        />
      ))}
    </span>
  );
}

function useShareLabels() {
  const { model, trans, locale } = useReplay();
  const percent = new Intl.NumberFormat(locale, {
    style: 'percent',
    maximumFractionDigits: 0
  });
  return {
    shares: (share: Shares): [ShareKind, string][] =>
      SHARE_KINDS.filter(kind => share[kind]).map(kind => [
        kind,
        shareText(kind, percent.format(share[kind] / share.lines), trans)
      ]),
    model: (id: string) =>
      model.modelInfo(id)?.label || id.slice(id.indexOf(':') + 1) || id,
    name: (name: string) => contributorName({ author: 'program', name }, trans)
  };
}
