/** Buttons with a text, and chips. A chip is a short text in a frame, such as “failed”. */
import React from 'react';

import type { Tone } from '../../labels/stepLabels';

type ButtonProps = React.ButtonHTMLAttributes<HTMLButtonElement> & {
  /** Marks the button that gets the focus when its section is opened. */
  'data-focus'?: boolean;
};

export function TextButton(props: ButtonProps): React.JSX.Element {
  const { className = '', ...rest } = props;
  const classes = `jp-AIServer-Replay-button ${className}`.trim();
  return <button type="button" className={classes} {...rest} />;
}

export function LinkButton(props: ButtonProps): React.JSX.Element {
  const { className = '', ...rest } = props;
  const classes = `jp-AIServer-Replay-link ${className}`.trim();
  return <button type="button" className={classes} {...rest} />;
}

export function Chip(props: {
  /** The colour of the frame; `hand` is the colour of a person's changes. Default: neutral. */
  tone?: Tone | 'hand';
  title?: string;
  children: React.ReactNode;
}): React.JSX.Element {
  const tone = props.tone ? ` jp-mod-${props.tone}` : '';
  return (
    <span className={`jp-AIServer-Replay-chip${tone}`} title={props.title}>
      {props.children}
    </span>
  );
}
