/** Whose the notebook is: the share of its lines that the model and that a person wrote. */
import { caretDownIcon, caretUpIcon } from '@jupyterlab/ui-components';
import React from 'react';

import type { ModelInfo, Report } from '../../api/types';
import { useReplay } from './context';
import { VirtualList } from './virtualList';

interface IProvenanceProps {
  report: Report;
  modelInfo: (id: string) => ModelInfo | null;
  onGoTo: (cellId: string) => void;
}

export const Provenance = React.memo(function Provenance(
  props: IProvenanceProps
): React.JSX.Element | null {
  const { trans } = useReplay();
  const [isOpen, setOpen] = React.useState(false);
  const { total } = props.report;
  const say = useWords(props);
  if (!total.lines) {
    return null;
  }
  const Caret = isOpen ? caretUpIcon : caretDownIcon;
  const label = trans.__('Who wrote the lines of each cell');
  return (
    <div className="jp-AIServer-Replay-provenance">
      <Shares {...total} />
      <p>
        <span className="jp-mod-model">{say.byAI(total)}</span>
        <span className="jp-mod-hand">{say.byHand(total)}</span>
        <button
          type="button"
          className="jp-AIServer-Replay-link jp-AIServer-Replay-each"
          aria-expanded={isOpen}
          aria-description={label}
          title={label}
          onClick={() => setOpen(!isOpen)}
        >
          {trans._n('%1 line', '%1 lines', total.lines)}
          <Caret.react tag="span" />
        </button>
      </p>
      {isOpen && <EachCell {...props} />}
    </div>
  );
});

/** The models with their lines, and the cells in the notebook's order; those with lines. */
function EachCell(props: IProvenanceProps): React.JSX.Element {
  const { trans } = useReplay();
  const say = useWords(props);
  const { cells, total } = props.report;
  const rows = cells
    .map((cell, index) => ({ ...cell, number: index + 1 }))
    .filter(({ lines }) => lines);
  const row = (cell: (typeof rows)[number], tabIndex: 0 | -1) => (
    <button
      type="button"
      tabIndex={tabIndex}
      title={trans.__('Go to the cell')}
      onClick={() => props.onGoTo(cell.cellId)}
    >
      <span>{trans.__('Cell %1', cell.number)}</span>
      <span>{trans._n('%1 line', '%1 lines', cell.lines)}</span>
      <span>
        {[
          cell.byModel ? say.byAI(cell) : '',
          cell.byPerson ? say.byHand(cell) : ''
        ]
          .filter(Boolean)
          .join(' · ')}
      </span>
      <span className="jp-AIServer-Replay-models">
        {byLines(cell).map(say.name).join(', ')}
      </span>
      <Shares {...cell} />
    </button>
  );
  const models = byLines(total);
  return (
    <>
      {models.length > 0 && (
        <ul
          className="jp-AIServer-Replay-models"
          aria-label={trans.__('Lines by model')}
        >
          {models.map(id => (
            <li key={id}>
              {trans._n(
                '%2: %1 line',
                '%2: %1 lines',
                total.models[id],
                say.name(id)
              )}
            </li>
          ))}
        </ul>
      )}
      <VirtualList
        className="jp-AIServer-Replay-eachCell"
        label={trans.__('Who wrote the lines of each cell')}
        count={rows.length}
        keyOf={index => rows[index].cellId}
        estimate={() => 28}
        render={(index, tabIndex) => row(rows[index], tabIndex)}
      />
    </>
  );
}

type Share = Pick<Report['total'], 'lines' | 'byModel' | 'byPerson' | 'models'>;

function Shares({ byModel, byPerson }: Share): React.JSX.Element {
  return (
    <span className="jp-AIServer-Replay-shares" aria-hidden="true">
      <i className="jp-mod-model" style={{ flexGrow: byModel }} />
      <i className="jp-mod-hand" style={{ flexGrow: byPerson }} />
    </span>
  );
}

/** The models of some lines, those with the most first. */
function byLines({ models }: Share): string[] {
  return Object.entries(models)
    .sort(([, a], [, b]) => b - a)
    .map(([id]) => id);
}

function useWords({ modelInfo }: IProvenanceProps) {
  const { trans, locale } = useReplay();
  const share = (part: number, lines: number) =>
    new Intl.NumberFormat(locale, {
      style: 'percent',
      maximumFractionDigits: 0
    }).format(part / lines);
  return {
    byAI: ({ byModel, lines }: Share) =>
      trans.__('%1 by AI', share(byModel, lines)),
    byHand: ({ byPerson, lines }: Share) =>
      trans.__('%1 by hand', share(byPerson, lines)),
    name: (id: string) =>
      modelInfo(id)?.label || id.slice(id.indexOf(':') + 1) || id
  };
}
