/** Lines of chips and buttons that keep their height when some go, so that nothing below them jumps. */
import * as React from 'react';

import { useWidth } from '../../../ui/width';

export function SteadyLine(props: {
  children: React.ReactNode;
  /** The row’s content. If it changes, the height may, too. */
  subject: string;
}): React.JSX.Element {
  const line = React.useRef<HTMLDivElement>(null);
  const [isTall, setTall] = React.useState(false);
  const width = useWidth(line);
  React.useEffect(() => {
    const node = line.current!;
    const update = () => {
      setTall(tall => tall || !!node.childElementCount);
      keepHeight(node);
    };
    update();
    // The children draw themselves again, for example when the kernel has replied.
    const observer = new MutationObserver(update);
    observer.observe(node, { childList: true, subtree: true });
    return () => observer.disconnect();
  }, []);
  // In a row of another width, the chips need another number of lines.
  React.useLayoutEffect(() => {
    line.current!.style.minHeight = '';
    keepHeight(line.current!);
  }, [props.subject, width, isTall]);
  return (
    <div
      ref={line}
      className={`jp-AIServer-Ask-below${isTall ? ' jp-mod-tall' : ''}`}
    >
      {props.children}
    </div>
  );
}

/** Let an element become taller, but not less tall than it is now. */
function keepHeight(node: HTMLElement): void {
  node.style.minHeight = `${node.offsetHeight}px`;
}
