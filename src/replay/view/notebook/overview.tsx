/**
 * The list of a notebook's cells. Each row summarises the cell's history. Deleted cells come last.
 */
import { classes } from '@jupyterlab/ui-components';
import React from 'react';

import type { SessionSummary } from '../../../api/types';
import { requestTitle } from '../../../labels/requestTitle';
import type { IOverviewRow } from '../../model/notebook/overview';
import { Chip, When } from '../buttons';
import { useReplay } from '../context';
import { UndeleteButton } from './momentCells';
import { VirtualList } from '../../../ui/virtualList';

export interface IOverviewProps {
  rows: readonly IOverviewRow[];
  requests: ReadonlyMap<string, string>;
  canUndelete: boolean;
}

/** The list is memoized so that it isn't rendered again for each key press in a cell. */
export const Overview = React.memo(function Overview(
  props: IOverviewProps
): React.JSX.Element {
  const { rows, requests } = props;
  const { trans } = useReplay();
  const firstDeleted = rows.findIndex(row => !row.cell);
  return (
    <VirtualList
      className="jp-AIServer-Replay-overview"
      label={trans.__('Notebook cells')}
      count={rows.length}
      keyOf={index => rows[index].cellId}
      estimate={index => {
        // A row with a request has two lines, and a heading is above the first deleted cell.
        const rowHeight = requests.has(rows[index].cellId) ? 48 : 30;
        const headingHeight = index === firstDeleted ? 34 : 0;
        return rowHeight + headingHeight;
      }}
      current={rows.findIndex(row => row.isActive)}
      rowClass={index => rowClass(rows[index])}
      render={(index, tabIndex) => (
        <>
          {index === firstDeleted && <h3>{trans.__('Deleted cells')}</h3>}
          <Row {...props} row={rows[index]} tabIndex={tabIndex} />
        </>
      )}
    />
  );
});

function rowClass(row: IOverviewRow): string {
  return classes(
    row.isActive && 'jp-mod-current',
    row.cell && row.cell.type !== 'code' && 'jp-mod-text',
    !row.cell && 'jp-mod-deleted'
  );
}

/** Return the first line of a cell. If it is a Markdown heading, the `#` characters are removed. */
function firstLine(row: IOverviewRow): string {
  return row.cell?.type === 'markdown'
    ? row.firstLine.replace(/^#+\s+/, '')
    : row.firstLine;
}

function Row(
  props: IOverviewProps & { row: IOverviewRow; tabIndex: 0 | -1 }
): React.JSX.Element {
  const { row, tabIndex } = props;
  const { model, trans } = useReplay();
  const { cell, cellId, summary } = row;
  const request = props.requests.get(cellId);
  const isMerged = !cell && !!model.timeline.cell(cellId)?.mergedInto;
  return (
    <>
      <button
        type="button"
        tabIndex={tabIndex}
        aria-current={row.isActive ? 'true' : undefined}
        onClick={() => void model.goTo(cellId)}
      >
        <span className="jp-AIServer-Replay-prompt">{cell?.number ?? '–'}</span>
        <span className="jp-AIServer-Replay-cell">
          {request !== undefined && (
            <span className="jp-AIServer-Replay-intent">
              {requestTitle(request, trans)}
            </span>
          )}
          <code className="jp-AIServer-Replay-firstLine">
            {firstLine(row) || trans.__('empty')}
          </code>
        </span>
        {summary && (
          <span className="jp-AIServer-Replay-summary">
            <RequestCount summary={summary} />
            <When time={summary.lastUpdated} />
          </span>
        )}
      </button>
      {!cell && (
        <span className="jp-AIServer-Replay-rowActions">
          {isMerged && <Chip>{trans.__('merged into another cell')}</Chip>}
          {props.canUndelete && (
            <UndeleteButton cellId={cellId} tabIndex={tabIndex} />
          )}
        </span>
      )}
    </>
  );
}

/** The number of successful requests. If all requests failed, the number of failed requests. */
function RequestCount(props: {
  summary: SessionSummary;
}): React.JSX.Element | null {
  const { turns, failed } = props.summary;
  const { trans } = useReplay();
  const answeredCount = turns - failed;
  if (!turns) {
    return null; // No model was asked.
  }
  return answeredCount || !failed ? (
    <Chip tone="model">
      {trans._n('%1 request', '%1 requests', answeredCount)}
    </Chip>
  ) : (
    <Chip tone="bad">
      {trans._n('%1 failed request', '%1 failed requests', failed)}
    </Chip>
  );
}
