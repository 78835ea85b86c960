/** Lines of chips and buttons that keep their height when some go, so that nothing below them jumps. */
import * as React from 'react';

import { useWidth } from '../../../ui/width';

export function SteadyLine(props: {
  children: React.ReactNode;
  /** The row’s content. If it changes, the height may, too. */
  subject: string;
}): React.JSX.Element {
  const line = React.useRef<HTMLDivElement>(null);
  // In a row of another width, the chips need another number of lines.
  const width = useWidth(line);
  React.useLayoutEffect(() => {
    const { style } = line.current!;
    style.minHeight = '';
    // The line can become taller, but not less tall than it is now.
    const keepHeight = () => {
      style.minHeight = `${line.current?.offsetHeight ?? 0}px`;
    };
    keepHeight();
    // The children draw themselves again, for example when the kernel has replied.
    const observer = new MutationObserver(keepHeight);
    observer.observe(line.current!, { childList: true, subtree: true });
    return () => observer.disconnect();
  }, [props.subject, width]);
  return (
    <div ref={line} className="jp-AIServer-Ask-below">
      {props.children}
    </div>
  );
}
