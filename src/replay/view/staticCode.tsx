/** Read-only code with JupyterLab's syntax highlighting, rendered without an editor. */
import type { IEditorLanguageRegistry } from '@jupyterlab/codemirror';
import React from 'react';

import { useReplay } from './context';

/**
 * Characters that are invisible or change the reading order. They can make dangerous code look
 * harmless (an attack that is known as “Trojan Source”).
 */
const HIDDEN_CHARACTERS =
  // eslint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ufff9-\ufffc]/g;

/** Replace each hidden character with a visible “•”. */
export function revealHidden(code: string): string {
  return code.replace(HIDDEN_CHARACTERS, '•');
}

/** Return DOM nodes that show code with highlighting; null if the code can't be highlighted. */
export async function highlight(
  languages: IEditorLanguageRegistry,
  code: string,
  mimeType: string
): Promise<ChildNode[] | null> {
  const container = document.createElement('span');
  const language = languages.findByMIME(mimeType);
  if (language) {
    await languages.highlight(code, language, container).catch(() => undefined);
  }
  // After a failure, or if the language is unknown, the container doesn't contain the code.
  return container.textContent === code ? [...container.childNodes] : null;
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
    // Show the code without highlighting first.
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
