/** Measures an element, so that the sidebar can choose a layout for its width. */
import React from 'react';

/** In whole pixels; 0 before the first measurement. */
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
