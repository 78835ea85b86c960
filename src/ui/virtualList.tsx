/**
 * A scrolling list with a roving tab stop, which the arrow keys move. In a long list only the
 * visible rows and the row with the tab stop are rendered; they are positioned in a box as high as
 * all rows.
 *
 * The arrow keys focus a row's first button; Tab reaches all buttons of the row with the tab stop.
 */
import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual';
import React from 'react';

/** The largest list of which all rows are rendered, so that the browser's search finds them. */
const MAX_COMPLETE = 40;

export interface IVirtualListHandle {
  focus(index: number): void;
}

export interface IVirtualListProps {
  label: string;
  count: number;
  keyOf: (index: number) => string;
  /** The estimated height of a row before it is rendered, in pixels. */
  estimate: (index: number) => number;
  /** Render a row; `tabIndex` is for all of its buttons. */
  render: (index: number, tabIndex: 0 | -1) => React.ReactNode;
  rowClass?: (index: number) => string;
  className?: string;
  /** The number of rows by which the Page keys move. */
  page?: number;
  /** The initial row, which is scrolled into view whenever it changes. */
  current?: number;
  /** Called when a key moves the tab stop. */
  onMove?: (index: number) => void;
  /** Called when the last rows are in view. */
  onEnd?: () => void;
  /** Called when ArrowUp is pressed in the first row. */
  onLeave?: () => void;
}

export const VirtualList = React.forwardRef(function VirtualList(
  props: IVirtualListProps,
  handle: React.Ref<IVirtualListHandle>
): React.JSX.Element {
  const { count, current = -1, keyOf, estimate, page = 8, onEnd } = props;
  const scroller = React.useRef<HTMLDivElement>(null);
  const list = React.useRef<HTMLOListElement>(null);
  const [chosen, setChosen] = React.useState(-1);
  const pendingFocus = React.useRef(-1);
  const stop = Math.min(count - 1, Math.max(0, chosen < 0 ? current : chosen));
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    getItemKey: keyOf,
    estimateSize: estimate,
    overscan: count > MAX_COMPLETE ? 8 : MAX_COMPLETE,
    useFlushSync: false,
    rangeExtractor: range => {
      const rows = defaultRangeExtractor(range);
      return rows.includes(stop) ? rows : [...rows, stop].sort((a, b) => a - b);
    }
  });

  const focus = (index: number) => {
    const at = Math.max(0, Math.min(count - 1, index));
    pendingFocus.current = at;
    setChosen(at);
    virtual.scrollToIndex(at);
    applyFocus();
    props.onMove?.(at);
  };
  const applyFocus = () => {
    const at = pendingFocus.current;
    const row = list.current?.querySelector(`:scope > [data-index="${at}"]`);
    if (row) {
      pendingFocus.current = -1;
      row.querySelector('button')?.focus();
    }
  };
  React.useLayoutEffect(applyFocus);
  React.useImperativeHandle(handle, () => ({ focus }));
  React.useEffect(() => {
    setChosen(-1);
    if (current >= 0) {
      virtual.scrollToIndex(current);
    }
    // Not when rows are added or removed: that must not change the scroll position.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [current]);

  const drawn = virtual.getVirtualItems();
  const height = virtual.getTotalSize();
  const last = drawn[drawn.length - 1]?.index ?? count - 1;
  React.useEffect(() => {
    if (count && last >= count - 1) {
      onEnd?.();
    }
  }, [count, last, onEnd]);

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
          const from = indexOf(event.target);
          const target = targetOf(event.key, from, count, page);
          const { altKey, ctrlKey, metaKey } = event;
          if (target === null || altKey || ctrlKey || metaKey) {
            return;
          }
          event.preventDefault();
          event.stopPropagation();
          if (target < 0 && event.key === 'ArrowUp' && props.onLeave) {
            props.onLeave();
          } else {
            focus(target);
          }
        }}
        onFocus={event => {
          const at = indexOf(event.target);
          if (at >= 0 && at !== stop) {
            setChosen(at);
          }
        }}
      >
        {drawn.map(({ index, start }) => (
          <li
            key={keyOf(index)}
            ref={virtual.measureElement}
            data-index={index}
            className={props.rowClass?.(index) || undefined}
            style={{ transform: `translateY(${start}px)` }}
            aria-setsize={count}
            aria-posinset={index + 1}
          >
            {props.render(index, index === stop ? 0 : -1)}
          </li>
        ))}
      </ol>
    </div>
  );
});

function indexOf(target: EventTarget): number {
  const row = (target as HTMLElement).closest<HTMLElement>('li[data-index]');
  return row ? Number(row.dataset.index) : -1;
}

function targetOf(
  key: string,
  from: number,
  count: number,
  page: number
): number | null {
  const targets: Record<string, number> = {
    ArrowUp: from - 1,
    ArrowDown: from + 1,
    PageUp: Math.max(0, from - page),
    PageDown: from + page,
    Home: 0,
    End: count - 1
  };
  return from < 0 ? null : (targets[key] ?? null);
}
