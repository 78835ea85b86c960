/**
 * A scrolling list that renders only the rows near the visible area, and the state of other such
 * lists. One row, always rendered, has the tab stop; the arrow keys move it and focus the row's
 * first button.
 */
import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual';
import React from 'react';

/** Shorter lists are rendered completely, so that the browser's search finds all of their text. */
const MAX_FULLY_RENDERED = 40;

export interface IVirtualListHandle {
  /** Scroll to a row and focus its first button. */
  focus(index: number): void;
}

export interface IVirtualListProps {
  label: string;
  count: number;
  keyOf: (index: number) => string;
  /** Estimate the height of a row that hasn't been rendered yet, in pixels. */
  estimate: (index: number) => number;
  /** All buttons in the row must get the given `tabIndex`. */
  render: (index: number, tabIndex: 0 | -1) => React.ReactNode;
  rowClass?: (index: number) => string;
  className?: string;
  /** The rows by which PageUp and PageDown move the tab stop. */
  pageSize?: number;
  /**
   * The row that has the tab stop and is scrolled into view, until a person moves the tab stop.
   * Default: -1, the first row without scrolling.
   */
  current?: number;
  /** Called when a key or `IVirtualListHandle.focus` moves the tab stop. */
  onMove?: (index: number) => void;
  /** Called when the last row is rendered, so that the caller can load more rows. */
  onEnd?: () => void;
  /** Called when ArrowUp is pressed in the first row. */
  onLeave?: () => void;
}

interface IRowsOptions extends Pick<
  IVirtualListProps,
  'count' | 'current' | 'pageSize' | 'onMove' | 'onLeave'
> {
  keyOf: (index: number) => string | number;
  estimate: (index: number) => number;
  overscan: number;
  /** The position to which the list is scrolled at first. */
  initialOffset?: number;
}

/**
 * Return the rows to render and their tab stop, the scroller's reference, and the props of the rows'
 * parent. Each row has its index as `data-index`.
 */
export function useRows(options: IRowsOptions) {
  const { count, current = -1, pageSize = 8 } = options;
  const scroller = React.useRef<HTMLDivElement>(null);
  const parent = React.useRef<HTMLElement | null>(null);
  // The row to which a person moved the tab stop, or -1.
  const [chosenIndex, setChosenIndex] = React.useState(-1);
  // A row to focus once it is rendered, or -1.
  const pendingFocus = React.useRef(-1);
  const tabStop = Math.min(
    count - 1,
    Math.max(0, chosenIndex < 0 ? current : chosenIndex)
  );
  const virtualizer = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    getItemKey: options.keyOf,
    estimateSize: options.estimate,
    initialOffset: options.initialOffset,
    overscan: options.overscan,
    useFlushSync: false,
    rangeExtractor: range => {
      const rows = defaultRangeExtractor(range);
      return rows.includes(tabStop)
        ? rows
        : [...rows, tabStop].sort((a, b) => a - b);
    }
  });

  const focus = (index: number) => {
    const row = Math.max(0, Math.min(count - 1, index));
    pendingFocus.current = row;
    setChosenIndex(row);
    virtualizer.scrollToIndex(row);
    applyFocus();
    options.onMove?.(row);
  };
  const applyFocus = () => {
    const element = parent.current?.querySelector(
      `:scope > [data-index="${pendingFocus.current}"]`
    );
    if (element) {
      pendingFocus.current = -1;
      element.querySelector('button')?.focus();
    }
  };
  React.useLayoutEffect(applyFocus);
  React.useEffect(() => {
    setChosenIndex(-1);
    if (current >= 0) {
      virtualizer.scrollToIndex(current);
    }
    // Scroll only if `current` changes. Adding or removing rows must not scroll the list.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [current]);

  const onKeyDown = (event: React.KeyboardEvent) => {
    const { altKey, ctrlKey, key, metaKey } = event;
    const to = targetIndex(key, rowIndexOf(event.target), count, pageSize);
    if (to === null || altKey || ctrlKey || metaKey) {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
    if (to < 0 && key === 'ArrowUp' && options.onLeave) {
      options.onLeave();
    } else {
      focus(to);
    }
  };
  const onFocus = (event: React.FocusEvent) => {
    const row = rowIndexOf(event.target);
    if (row >= 0 && row !== tabStop) {
      setChosenIndex(row);
    }
  };
  return {
    scroller,
    parentProps: {
      ref: (node: HTMLElement | null) => void (parent.current = node),
      onKeyDown,
      onFocus
    },
    rows: virtualizer.getVirtualItems(),
    height: virtualizer.getTotalSize(),
    measure: virtualizer.measureElement,
    tabStop,
    focus
  };
}

export const VirtualList = React.forwardRef(function VirtualList(
  props: IVirtualListProps,
  handle: React.Ref<IVirtualListHandle>
): React.JSX.Element {
  const { count, keyOf, onEnd } = props;
  const { scroller, parentProps, rows, height, measure, tabStop, focus } =
    useRows({
      ...props,
      overscan: count > MAX_FULLY_RENDERED ? 8 : MAX_FULLY_RENDERED
    });
  React.useImperativeHandle(handle, () => ({ focus }));
  const lastRenderedIndex = rows[rows.length - 1]?.index ?? count - 1;
  React.useEffect(() => {
    if (count && lastRenderedIndex >= count - 1) {
      onEnd?.();
    }
  }, [count, lastRenderedIndex, onEnd]);
  return (
    <div
      ref={scroller}
      className={`jp-AIServer-Replay-scroll ${props.className ?? ''}`}
      style={
        { '--jp-AIServer-Replay-height': `${height}px` } as React.CSSProperties
      }
    >
      <ol
        {...parentProps}
        className="jp-AIServer-Replay-cells"
        aria-label={props.label}
      >
        {rows.map(({ index, start }) => (
          <li
            key={keyOf(index)}
            ref={measure}
            data-index={index}
            className={props.rowClass?.(index) || undefined}
            style={{ transform: `translateY(${start}px)` }}
            aria-setsize={count}
            aria-posinset={index + 1}
          >
            {props.render(index, index === tabStop ? 0 : -1)}
          </li>
        ))}
      </ol>
    </div>
  );
});

function rowIndexOf(target: EventTarget): number {
  const row = (target as HTMLElement).closest<HTMLElement>('[data-index]');
  return row ? Number(row.dataset.index) : -1;
}

/** Return the target row, possibly beyond the list; null for other keys. */
function targetIndex(
  key: string,
  fromIndex: number,
  count: number,
  pageSize: number
): number | null {
  const targets: Record<string, number> = {
    ArrowUp: fromIndex - 1,
    ArrowDown: fromIndex + 1,
    PageUp: Math.max(0, fromIndex - pageSize),
    PageDown: fromIndex + pageSize,
    Home: 0,
    End: count - 1
  };
  return fromIndex < 0 ? null : (targets[key] ?? null);
}
