/** Code with JupyterLab's syntax highlighting, but without an editor. */
import type { IEditorLanguageRegistry } from '@jupyterlab/codemirror';
import React from 'react';

import { useReplay } from './context';

/**
 * Characters that are invisible or change the reading order. They can make code look harmless that
 * isn't (“Trojan Source”).
 */
const HIDDEN =
  // eslint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ufff9-\ufffc]/g;

/** Replace each hidden character by a visible “•”. */
export function revealHidden(code: string): string {
  return code.replace(HIDDEN, '•');
}

/** Highlight code, and return the nodes to show; null if the code can't be highlighted. */
export async function highlight(
  languages: IEditorLanguageRegistry,
  code: string,
  mimeType: string
): Promise<ChildNode[] | null> {
  const host = document.createElement('span');
  const language = languages.findByMIME(mimeType);
  if (language) {
    await languages.highlight(code, language, host).catch(() => undefined);
  }
  return host.textContent === code ? [...host.childNodes] : null;
}

export const StaticCode = React.memo(function StaticCode(props: {
  code: string;
  mimeType: string;
}): React.JSX.Element {
  const { mimeType } = props;
  const { languages } = useReplay();
  const node = React.useRef<HTMLElement>(null);
  const code = revealHidden(props.code);
  React.useLayoutEffect(() => {
    let isCurrent = true;
    node.current!.textContent = code;
    void highlight(languages, code, mimeType).then(highlighted => {
      if (isCurrent && highlighted) {
        node.current?.replaceChildren(...highlighted);
      }
    });
    return () => {
      isCurrent = false;
    };
  }, [code, mimeType, languages]);
  return <code ref={node} className="jp-AIServer-Replay-static" />;
});
