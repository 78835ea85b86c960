/** A line of chips and buttons that keeps its height when they go, so that nothing below it jumps. */
import * as React from 'react';

export function SteadyLine(props: {
  children: React.ReactNode;
}): React.JSX.Element {
  const line = React.useRef<HTMLDivElement>(null);
  const [isTall, setTall] = React.useState(false);
  React.useEffect(() => {
    const node = line.current;
    const update = () => setTall(tall => tall || !!node?.childElementCount);
    update();
    // The children draw themselves again, for example when the kernel has replied.
    const observer = new MutationObserver(update);
    observer.observe(node!, { childList: true });
    return () => observer.disconnect();
  }, []);
  return (
    <div
      ref={line}
      className={`jp-AIServer-Ask-below${isTall ? ' jp-mod-tall' : ''}`}
    >
      {props.children}
    </div>
  );
}
