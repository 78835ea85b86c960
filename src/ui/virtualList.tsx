/**
 * A scrolling list that stays fast with thousands of rows. In a long list, only the visible rows
 * and the row with the tab stop are rendered, in a box that is as high as all rows together.
 *
 * The list has a roving tab stop: the Tab key reaches the buttons of only one row. The arrow keys
 * move the tab stop to another row and focus the first button of that row.
 */
import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual';
import React from 'react';

/** A list of at most this length is rendered completely, so that the browser's search works. */
const MAX_FULLY_RENDERED = 40;

export interface IVirtualListHandle {
  /** Scroll to a row and focus its first button. */
  focus(index: number): void;
}

export interface IVirtualListProps {
  label: string;
  /** The number of rows. */
  count: number;
  /** Return the React key of a row. */
  keyOf: (index: number) => string;
  /** Estimate the height of a row that hasn't been rendered yet, in pixels. */
  estimate: (index: number) => number;
  /** Render a row. All buttons in the row must have the given `tabIndex`. */
  render: (index: number, tabIndex: 0 | -1) => React.ReactNode;
  rowClass?: (index: number) => string;
  className?: string;
  /** The number of rows by which the PageUp and PageDown keys move the tab stop. */
  pageSize?: number;
  /** The row that has the tab stop until a person moves it. A new value is scrolled into view. */
  current?: number;
  /** Called when a key or the handle's `focus` moves the tab stop. */
  onMove?: (index: number) => void;
  /** Called when the last row comes into view. */
  onEnd?: () => void;
  /** Called when ArrowUp is pressed in the first row. */
  onLeave?: () => void;
}

export const VirtualList = React.forwardRef(function VirtualList(
  props: IVirtualListProps,
  handle: React.Ref<IVirtualListHandle>
): React.JSX.Element {
  const { count, current = -1, keyOf, estimate, pageSize = 8, onEnd } = props;
  const scroller = React.useRef<HTMLDivElement>(null);
  const list = React.useRef<HTMLOListElement>(null);
  // The row to which a person moved the tab stop; -1 before that.
  const [movedStop, setMovedStop] = React.useState(-1);
  // The row to focus as soon as it is rendered; -1 if there is none.
  const pendingFocus = React.useRef(-1);
  const stopIndex = Math.min(
    count - 1,
    Math.max(0, movedStop < 0 ? current : movedStop)
  );
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    getItemKey: keyOf,
    estimateSize: estimate,
    overscan: count > MAX_FULLY_RENDERED ? 8 : MAX_FULLY_RENDERED,
    useFlushSync: false,
    rangeExtractor: range => {
      const rows = defaultRangeExtractor(range);
      return rows.includes(stopIndex)
        ? rows
        : [...rows, stopIndex].sort((a, b) => a - b);
    }
  });

  const focus = (index: number) => {
    const row = Math.max(0, Math.min(count - 1, index));
    pendingFocus.current = row;
    setMovedStop(row);
    virtual.scrollToIndex(row);
    applyFocus();
    props.onMove?.(row);
  };
  const applyFocus = () => {
    const element = list.current?.querySelector(
      `:scope > [data-index="${pendingFocus.current}"]`
    );
    if (element) {
      pendingFocus.current = -1;
      element.querySelector('button')?.focus();
    }
  };
  React.useLayoutEffect(applyFocus);
  React.useImperativeHandle(handle, () => ({ focus }));
  React.useEffect(() => {
    setMovedStop(-1);
    if (current >= 0) {
      virtual.scrollToIndex(current);
    }
    // Only a new `current` scrolls. Adding or removing rows must not change the scroll position.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [current]);

  const renderedRows = virtual.getVirtualItems();
  const height = virtual.getTotalSize();
  const lastRendered =
    renderedRows[renderedRows.length - 1]?.index ?? count - 1;
  React.useEffect(() => {
    if (count && lastRendered >= count - 1) {
      onEnd?.();
    }
  }, [count, lastRendered, onEnd]);

  return (
    <div
      ref={scroller}
      className={`jp-AIServer-Replay-scroll ${props.className ?? ''}`}
      style={
        { '--jp-AIServer-Replay-height': `${height}px` } as React.CSSProperties
      }
    >
      <ol
        ref={list}
        className="jp-AIServer-Replay-cells"
        aria-label={props.label}
        onKeyDown={event => {
          const from = rowIndexOf(event.target);
          const target = targetOf(event.key, from, count, pageSize);
          const { altKey, ctrlKey, metaKey } = event;
          if (target === null || altKey || ctrlKey || metaKey) {
            return;
          }
          event.preventDefault();
          event.stopPropagation();
          // In the first row, ArrowUp leads out of the list.
          if (target < 0 && event.key === 'ArrowUp' && props.onLeave) {
            props.onLeave();
          } else {
            focus(target);
          }
        }}
        onFocus={event => {
          const row = rowIndexOf(event.target);
          if (row >= 0 && row !== stopIndex) {
            setMovedStop(row);
          }
        }}
      >
        {renderedRows.map(({ index, start }) => (
          <li
            key={keyOf(index)}
            ref={virtual.measureElement}
            data-index={index}
            className={props.rowClass?.(index) || undefined}
            style={{ transform: `translateY(${start}px)` }}
            aria-setsize={count}
            aria-posinset={index + 1}
          >
            {props.render(index, index === stopIndex ? 0 : -1)}
          </li>
        ))}
      </ol>
    </div>
  );
});

/** Return the index of the row that contains the element; -1 if no row does. */
function rowIndexOf(target: EventTarget): number {
  const row = (target as HTMLElement).closest<HTMLElement>('li[data-index]');
  return row ? Number(row.dataset.index) : -1;
}

/**
 * Return the index of the row to which a key moves the tab stop. The index may be before the first
 * or after the last row. Null if the key doesn't move the tab stop.
 */
function targetOf(
  key: string,
  from: number,
  count: number,
  pageSize: number
): number | null {
  const targets: Record<string, number> = {
    ArrowUp: from - 1,
    ArrowDown: from + 1,
    PageUp: Math.max(0, from - pageSize),
    PageDown: from + pageSize,
    Home: 0,
    End: count - 1
  };
  return from < 0 ? null : (targets[key] ?? null);
}
