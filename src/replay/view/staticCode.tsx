/** Code with JupyterLab's syntax highlighting, but without an editor. */
import React from 'react';

import { useReplay } from './context';

/** Characters that are invisible or change the reading order (Trojan Source). */
const HIDDEN =
  // eslint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ufff9-\ufffc]/g;

/** Make hidden characters visible. */
export function withoutHidden(code: string): string {
  return code.replace(HIDDEN, '•');
}

export const StaticCode = React.memo(function StaticCode(props: {
  code: string;
  mimeType: string;
}): React.JSX.Element {
  const { code, mimeType } = props;
  const { languages } = useReplay();
  const node = React.useRef<HTMLElement>(null);
  React.useLayoutEffect(() => {
    const text = withoutHidden(code);
    let isCurrent = true;
    if (node.current) {
      node.current.textContent = text;
    }
    const language = languages?.findByMIME(mimeType) ?? null;
    if (languages && language) {
      const coloured = document.createElement('span');
      languages
        .highlight(text, language, coloured)
        .then(() => {
          if (isCurrent && coloured.textContent === text) {
            node.current?.replaceChildren(...coloured.childNodes);
          }
        })
        .catch(() => {
          // The code stays without highlighting.
        });
    }
    return () => {
      isCurrent = false;
    };
  }, [code, mimeType, languages]);
  return <code ref={node} className="jp-AIServer-Replay-static" />;
});
