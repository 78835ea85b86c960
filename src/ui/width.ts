/** Measures the width of an element for responsive layouts in the sidebar. */
import React from 'react';

/** The width of an element in whole pixels; 0 until it is measured. */
export function useWidth(ref: React.RefObject<HTMLElement>): number {
  const [width, setWidth] = React.useState(0);
  React.useLayoutEffect(() => {
    const node = ref.current;
    if (!node || typeof ResizeObserver === 'undefined') {
      return;
    }
    setWidth(Math.round(node.getBoundingClientRect().width));
    const observer = new ResizeObserver(entries => {
      setWidth(Math.round(entries[entries.length - 1].contentRect.width));
    });
    observer.observe(node);
    return () => observer.disconnect();
  }, [ref]);
  return width;
}
