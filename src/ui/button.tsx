import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';
import { copyText } from './focus';

export function Button(props: {
  label: string;
  /** A shortcut for the same, shown after the label. */
  keys?: string;
  /** The tooltip. */
  title?: string;
  /** Highlighted as the most likely choice. */
  primary?: boolean;
  /** Without a frame, to draw less attention. */
  quiet?: boolean;
  disabled?: boolean;
  /** The id of a form that the button submits. */
  form?: string;
  tabIndex?: 0 | -1;
  /** The id of the element that describes the button, such as the text that it is about. */
  describedBy?: string;
  run?: (event: React.MouseEvent) => void;
}): React.JSX.Element {
  const { label, keys, title, primary, quiet, disabled, form, run } = props;
  return (
    <button
      type={form ? 'submit' : 'button'}
      form={form}
      className={
        'jp-AIServer-Ask-button' +
        (primary ? ' jp-mod-primary' : '') +
        (quiet ? ' jp-mod-quiet' : '')
      }
      title={title}
      disabled={disabled}
      tabIndex={props.tabIndex}
      aria-describedby={props.describedBy}
      onClick={run}
    >
      {label}
      {keys && (
        <span className="jp-AIServer-Ask-key" aria-hidden="true">
          {keys}
        </span>
      )}
    </button>
  );
}

export function CopyButton(props: {
  text: string;
  trans: TranslationBundle;
}): React.JSX.Element {
  const { text, trans } = props;
  const [copiedText, setCopiedText] = React.useState<string | null>(null);
  return (
    <Button
      label={copiedText === text ? trans.__('Copied') : trans.__('Copy')}
      run={() => {
        copyText(text);
        setCopiedText(text);
      }}
    />
  );
}

/** A terminal command with a button that copies it. */
export function Command(props: {
  command: string;
  trans: TranslationBundle;
}): React.JSX.Element {
  const { command, trans } = props;
  return (
    <span className="jp-AIServer-Command">
      <code>{command}</code>
      <CopyButton text={command} trans={trans} />
    </span>
  );
}
