/** A terminal command with a button that copies it. */
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

export function Command(props: {
  command: string;
  /** `copy` copies a text to the clipboard. */
  services: { trans: TranslationBundle; copy: (text: string) => void };
}): React.JSX.Element {
  const { command, services } = props;
  const [copied, setCopied] = React.useState('');
  const { trans } = services;
  return (
    <span className="jp-AIServer-Command">
      <code>{command}</code>
      <button
        type="button"
        className="jp-AIServer-Ask-button"
        onClick={() => {
          services.copy(command);
          setCopied(command);
        }}
      >
        {copied === command ? trans.__('Copied') : trans.__('Copy')}
      </button>
    </span>
  );
}
