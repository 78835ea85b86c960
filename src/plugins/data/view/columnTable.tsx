/**
 * The table of a variable's columns. With thousands of them, it stays fast: only the rows in or near
 * the visible area are rendered and profiled.
 */
import React from 'react';

import type { IItemChange } from '../model/changes';
import type { Frame } from '../model/frame';
import type { NotebookData } from '../model/notebookData';
import { useRows } from '../../../ui/virtualList';
import { ColumnRow } from './columnRow';
import { useData } from './context';

/** Without details, in pixels; also in `style/data/columns.css`. */
const ROW_HEIGHT = 46;

export function ColumnTable(props: {
  data: NotebookData;
  frame: Frame;
  change: IItemChange | undefined;
  label: string;
}): React.JSX.Element {
  const { data, frame, change, label } = props;
  const { trans } = useData();
  const { item, order } = frame;
  // With another function, the virtualizer would measure all rows again.
  const keyOf = React.useCallback((row: number) => order[row], [order]);
  const { scroller, parentProps, rows, height, measure, tabStop } = useRows({
    count: order.length,
    keyOf,
    estimate: () => ROW_HEIGHT,
    initialOffset: frame.scrollTop,
    overscan: 6
  });
  React.useEffect(() =>
    data.show(
      frame,
      rows.map(({ index }) => order[index])
    )
  );
  // The model changes the position when the filter or the sort changes.
  React.useLayoutEffect(() => {
    if (scroller.current) {
      scroller.current.scrollTop = frame.scrollTop;
    }
  }, [scroller, frame, frame.filter, frame.sort]);

  const heads = [
    trans.__('Name'),
    trans.__('Type'),
    trans.__('Missing'),
    trans.__('Distinct'),
    trans.__('Distribution'),
    trans.__('Details')
  ];
  return (
    <div
      ref={scroller}
      className="jp-AIServer-Data-scroll"
      style={
        {
          '--jp-AIServer-Data-rows': `${item.columns.length * ROW_HEIGHT}px`
        } as React.CSSProperties
      }
      onScroll={({ currentTarget: node }) => {
        if (node.clientHeight) {
          frame.scrollTop = node.scrollTop;
        }
      }}
    >
      <div
        {...parentProps}
        role="table"
        aria-label={label}
        aria-rowcount={order.length + 1}
        style={{ height }}
      >
        <div role="rowgroup" className="jp-AIServer-Data-hidden">
          <div role="row" aria-rowindex={1}>
            {heads.map(head => (
              <span key={head} role="columnheader">
                {head}
              </span>
            ))}
          </div>
        </div>
        {rows.map(({ index, start }) => {
          const position = order[index];
          return (
            <div
              key={position}
              ref={measure}
              role="rowgroup"
              data-index={index}
              className="jp-AIServer-Data-item"
              style={{ transform: `translateY(${start}px)` }}
            >
              <ColumnRow
                item={item}
                column={item.columns[position]}
                profile={frame.profile(position)}
                change={change}
                rowNumber={index + 2}
                hasDetails={frame.detailed.has(position)}
                tabIndex={index === tabStop ? 0 : -1}
                toggleDetails={() => data.toggleDetails(frame, position)}
              />
            </div>
          );
        })}
      </div>
    </div>
  );
}
