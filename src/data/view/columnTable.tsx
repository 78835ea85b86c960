/**
 * The table of a variable's columns, which stays fast with thousands of them: only the rows in or
 * near the visible area are rendered, and only these columns are profiled.
 *
 * One row of the table has the tab stop: the Tab key reaches only the buttons of this row. The arrow
 * keys move the tab stop to another row and focus the first button of that row. The row with the tab
 * stop is always rendered.
 */
import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual';
import React from 'react';

import type { IItemChange } from '../model/changes';
import type { Frame } from '../model/frame';
import type { NotebookData } from '../model/notebookData';
import { targetIndex } from '../../ui/virtualList';
import { ColumnRow } from './columnRow';
import { useData } from './context';

/** The height of a row without details, in pixels; also in `style/data/columns.css`. */
const ROW_HEIGHT = 46;
const PAGE_SIZE = 8;

export function ColumnTable(props: {
  data: NotebookData;
  frame: Frame;
  change: IItemChange | undefined;
  label: string;
}): React.JSX.Element {
  const { data, frame, change, label } = props;
  const { trans } = useData();
  const { item, order } = frame;
  const scroller = React.useRef<HTMLDivElement>(null);
  const [chosenRow, setChosenRow] = React.useState(0);
  // The index of a row to focus as soon as the row is rendered; -1 if there is none.
  const pendingFocus = React.useRef(-1);
  const tabStop = Math.max(0, Math.min(chosenRow, order.length - 1));
  // The virtualizer measures all rows again if it gets another function.
  const getItemKey = React.useCallback((row: number) => order[row], [order]);
  const virtualizer = useVirtualizer({
    count: order.length,
    getScrollElement: () => scroller.current,
    getItemKey,
    estimateSize: () => ROW_HEIGHT,
    initialOffset: frame.scrollTop,
    overscan: 6,
    useFlushSync: false,
    rangeExtractor: range => {
      const rows = defaultRangeExtractor(range);
      return rows.includes(tabStop)
        ? rows
        : [...rows, tabStop].sort((a, b) => a - b);
    }
  });
  const rows = virtualizer.getVirtualItems();

  const applyFocus = () => {
    const row = scroller.current?.querySelector(
      `[data-index="${pendingFocus.current}"]`
    );
    if (row) {
      pendingFocus.current = -1;
      row.querySelector('button')?.focus();
    }
  };
  React.useLayoutEffect(applyFocus);
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
  }, [frame, frame.filter, frame.sort]);

  const onKeyDown = (event: React.KeyboardEvent) => {
    const from = rowOf(event.target);
    const to = targetIndex(event.key, from, order.length, PAGE_SIZE);
    if (to === null || event.altKey || event.ctrlKey || event.metaKey) {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
    const row = Math.max(0, Math.min(order.length - 1, to));
    pendingFocus.current = row;
    setChosenRow(row);
    virtualizer.scrollToIndex(row);
    applyFocus();
  };

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
        role="table"
        aria-label={label}
        aria-rowcount={order.length + 1}
        style={{ height: virtualizer.getTotalSize() }}
        onKeyDown={onKeyDown}
        onFocus={event => {
          const row = rowOf(event.target);
          if (row >= 0 && row !== tabStop) {
            setChosenRow(row);
          }
        }}
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
              ref={virtualizer.measureElement}
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

/** Return the index of the row that contains the element; -1 if it isn't in a row. */
function rowOf(target: EventTarget): number {
  const row = (target as HTMLElement).closest<HTMLElement>('[data-index]');
  return row ? Number(row.dataset.index) : -1;
}
