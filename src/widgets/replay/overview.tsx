/** All cells of the notebook with what is kept of them; deleted cells last. */
import React from 'react';

import type { SessionSummary } from '../../api/types';
import type { IOverviewRow } from '../../models/replayOverview';
import { useReplay } from './context';
import { moveFocus } from './roving';
import { When } from './when';

export interface IOverviewProps {
  rows: readonly IOverviewRow[];
  onGoTo: (cellId: string) => void;
}

/** Drawn anew only for other rows, not for each letter typed in a cell. */
export const Overview = React.memo(function Overview(
  props: IOverviewProps
): React.JSX.Element {
  const { rows } = props;
  const { trans } = useReplay();
  const present = rows.filter(row => row.cell);
  const deleted = rows.filter(row => !row.cell);
  const current = present.find(row => row.isActive) ?? present[0];
  return (
    <div className="jp-AIServer-Replay-overview">
      <ol
        className="jp-AIServer-Replay-cells"
        aria-label={trans.__('Cells of the notebook')}
        onKeyDown={moveFocus}
      >
        {present.map(row => (
          <Row key={row.cellId} row={row} isStop={row === current} {...props} />
        ))}
      </ol>
      {deleted.length > 0 && (
        <>
          <h3 id="jp-AIServer-Replay-deleted">{trans.__('Deleted cells')}</h3>
          <ol
            className="jp-AIServer-Replay-cells"
            aria-labelledby="jp-AIServer-Replay-deleted"
            onKeyDown={moveFocus}
          >
            {deleted.map((row, index) => (
              <Row key={row.cellId} row={row} isStop={index === 0} {...props} />
            ))}
          </ol>
        </>
      )}
    </div>
  );
});

/** The first line as it reads: a heading without its marks. */
function firstLine(row: IOverviewRow): string {
  return row.cell?.type === 'markdown'
    ? row.firstLine.replace(/^#+\s+/, '')
    : row.firstLine;
}

function Row(
  props: IOverviewProps & { row: IOverviewRow; isStop: boolean }
): React.JSX.Element {
  const { row, isStop, onGoTo } = props;
  const { trans } = useReplay();
  const { cell, summary } = row;
  const classes = [
    row.isActive ? 'jp-mod-current' : '',
    summary ? '' : 'jp-mod-plain',
    cell && cell.type !== 'code' ? 'jp-mod-text' : ''
  ];
  return (
    <li className={classes.join(' ').trim() || undefined}>
      <button
        type="button"
        tabIndex={isStop ? 0 : -1}
        aria-current={row.isActive ? 'true' : undefined}
        onClick={() => onGoTo(row.cellId)}
      >
        <span className="jp-AIServer-Replay-prompt">
          {cell?.type === 'code' ? `[${cell.count ?? ' '}]` : ''}
        </span>
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
    </li>
  );
}

/** How many answers are kept; where there is none, how often it was asked for one. */
function Count(props: { summary: SessionSummary }): React.JSX.Element | null {
  const { turns, failed } = props.summary;
  const { trans } = useReplay();
  const kept = turns - failed;
  if (kept || !failed) {
    return (
      <span className="jp-AIServer-Replay-chip jp-mod-model">
        {trans._n('%1 turn', '%1 turns', kept)}
      </span>
    );
  }
  return (
    <span className="jp-AIServer-Replay-chip jp-mod-bad">
      {trans._n('%1 failed request', '%1 failed requests', failed)}
    </span>
  );
}
