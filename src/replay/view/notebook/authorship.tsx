/** The shares of the notebook's lines by contributor, and a button that lists those of each cell. */
import { caretDownIcon, caretUpIcon } from '@jupyterlab/ui-components';
import React from 'react';

import type { Report } from '../../../api/types';
import {
  namesByLineCount,
  SHARE_AUTHORS,
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

interface IAuthorshipProps {
  report: Report;
}

export const Authorship = React.memo(function Authorship(
  props: IAuthorshipProps
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
    <div className="jp-AIServer-Replay-authorship">
      <ShareBar {...total} />
      <p>
        {labels.shares(total).map(([kind, text]) => (
          <span key={kind} className={`jp-mod-${SHARE_AUTHORS[kind]}`}>
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

function CellShares(props: IAuthorshipProps): React.JSX.Element {
  const { model, trans } = useReplay();
  const labels = useShareLabels();
  const { cells, total } = props.report;
  const rows = cells
    .map((cell, index) => ({ ...cell, number: index + 1 }))
    .filter(({ lines }) => lines);
  const renderRow = (cell: (typeof rows)[number], tabIndex: 0 | -1) => (
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
        {labels
          .counts(cell)
          .map(([name]) => name)
          .join(trans._p('between names', ', '))}
      </span>
      <ShareBar {...cell} />
    </button>
  );
  const lineCounts = labels.counts(total);
  return (
    <>
      {lineCounts.length > 0 && (
        <ul
          className="jp-AIServer-Replay-models"
          aria-label={trans.__('Lines by contributor')}
        >
          {lineCounts.map(([name, lines]) => (
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
        render={(index, tabIndex) => renderRow(rows[index], tabIndex)}
      />
    </>
  );
}

function ShareBar(shares: Shares): React.JSX.Element {
  return (
    <span className="jp-AIServer-Replay-shares" aria-hidden="true">
      {SHARE_KINDS.filter(kind => shares[kind]).map(kind => (
        <i
          key={kind}
          className={`jp-mod-${SHARE_AUTHORS[kind]}`}
          style={{ flexGrow: shares[kind] }}
        />
      ))}
    </span>
  );
}

function useShareLabels() {
  const { model, trans, locale } = useReplay();
  // A model's id is "provider:name". Show only the name if the model has no label.
  const modelName = (id: string) =>
    model.modelInfo(id)?.label || id.slice(id.indexOf(':') + 1) || id;
  const percent = new Intl.NumberFormat(locale, {
    style: 'percent',
    maximumFractionDigits: 0
  });
  return {
    shares: (shares: Shares): [ShareKind, string][] =>
      SHARE_KINDS.filter(kind => shares[kind]).map(kind => [
        kind,
        shareText(kind, percent.format(shares[kind] / shares.lines), trans)
      ]),
    /** Return the models, then the agents and programs, with their numbers of lines. */
    counts: ({ models, names }: Pick<Report['total'], 'models' | 'names'>) => [
      ...namesByLineCount(models).map(
        id => [modelName(id), models[id]] as const
      ),
      ...namesByLineCount(names).map(
        name =>
          [
            contributorName({ author: 'program', name }, trans),
            names[name]
          ] as const
      )
    ]
  };
}
