/** All cells of the notebook with what is kept of them; those that are gone last. */
import React from 'react';

import type { SessionSummary } from '../../../api/types';
import type { IOverviewRow } from '../../model/notebook/overview';
import { useReplay } from '../context';
import { BringBack } from './momentCells';
import { VirtualList } from '../../../ui/virtualList';
import { When } from '../when';

export interface IOverviewProps {
  rows: readonly IOverviewRow[];
  canBringBack: boolean;
  /** The cell that a cell was merged into, if that is where it went. */
  mergedInto: (cellId: string) => string | null;
  onGoTo: (cellId: string) => void;
  onBringBack: (cellId: string) => void;
}

/** Drawn anew only for other rows, not for each letter typed in a cell. */
export const Overview = React.memo(function Overview(
  props: IOverviewProps
): React.JSX.Element {
  const { rows } = props;
  const { trans } = useReplay();
  const firstGone = rows.findIndex(row => !row.cell);
  return (
    <VirtualList
      className="jp-AIServer-Replay-overview"
      label={trans.__('Notebook cells')}
      count={rows.length}
      keyOf={index => rows[index].cellId}
      estimate={index =>
        (rows[index].summary?.lastIntent ? 48 : 30) +
        (index === firstGone ? 34 : 0)
      }
      current={rows.findIndex(row => row.isActive)}
      rowClass={index => classOf(rows[index])}
      render={(index, tabIndex) => (
        <>
          {index === firstGone && <h3>{trans.__('Deleted cells')}</h3>}
          <Row {...props} row={rows[index]} tabIndex={tabIndex} />
        </>
      )}
    />
  );
});

function classOf(row: IOverviewRow): string {
  const classes = [
    row.isActive ? 'jp-mod-current' : '',
    row.summary ? '' : 'jp-mod-plain',
    row.cell && row.cell.type !== 'code' ? 'jp-mod-text' : '',
    row.cell ? '' : 'jp-mod-gone'
  ];
  return classes.filter(Boolean).join(' ');
}

/** The first line as it reads: a heading without its marks. */
function firstLine(row: IOverviewRow): string {
  return row.cell?.type === 'markdown'
    ? row.firstLine.replace(/^#+\s+/, '')
    : row.firstLine;
}

function Row(
  props: IOverviewProps & { row: IOverviewRow; tabIndex: 0 | -1 }
): React.JSX.Element {
  const { row, tabIndex, onGoTo } = props;
  const { trans } = useReplay();
  const { cell, cellId, summary } = row;
  const isMerged = !cell && props.mergedInto(cellId) !== null;
  return (
    <>
      <button
        type="button"
        tabIndex={tabIndex}
        aria-current={row.isActive ? 'true' : undefined}
        onClick={() => onGoTo(cellId)}
      >
        <span className="jp-AIServer-Replay-prompt">{cell?.number ?? '–'}</span>
        <span className="jp-AIServer-Replay-cell">
          {summary?.lastIntent && (
            <span className="jp-AIServer-Replay-intent">
              {summary.lastIntent}
            </span>
          )}
          <code className="jp-AIServer-Replay-firstLine">
            {firstLine(row) || trans.__('empty')}
          </code>
        </span>
        {summary && (
          <span className="jp-AIServer-Replay-kept">
            <Count summary={summary} />
            <When time={summary.lastUpdated} />
          </span>
        )}
      </button>
      {!cell && (
        <span className="jp-AIServer-Replay-thenActions">
          {isMerged && (
            <span className="jp-AIServer-Replay-chip">
              {trans.__('merged into another cell')}
            </span>
          )}
          {props.canBringBack && <BringBack {...props} cellId={cellId} />}
        </span>
      )}
    </>
  );
}

/** How many answers are kept; where there is none, how often it was asked for one. */
function Count(props: { summary: SessionSummary }): React.JSX.Element | null {
  const { turns, failed } = props.summary;
  const { trans } = useReplay();
  const kept = turns - failed;
  if (!turns) {
    return null; // Only a hand has worked on it.
  }
  if (kept || !failed) {
    return (
      <span className="jp-AIServer-Replay-chip jp-mod-model">
        {trans._n('%1 request', '%1 requests', kept)}
      </span>
    );
  }
  return (
    <span className="jp-AIServer-Replay-chip jp-mod-bad">
      {trans._n('%1 failed request', '%1 failed requests', failed)}
    </span>
  );
}
