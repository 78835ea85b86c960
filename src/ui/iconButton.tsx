/** A button with an icon. The label is its tooltip, and screen readers read it. */
import type { LabIcon } from '@jupyterlab/ui-components';
import React from 'react';

type Attributes = React.ButtonHTMLAttributes<HTMLButtonElement>;

export interface IIconButtonProps extends Pick<
  Attributes,
  | 'aria-describedby'
  | 'aria-expanded'
  | 'aria-haspopup'
  | 'onClick'
  | 'onPointerDown'
  | 'tabIndex'
> {
  icon: LabIcon;
  label: string;
  /** After the icon; hidden if there is not enough space. */
  text?: string;
  disabled?: boolean;
  /** Whether it is switched on; undefined if it is no switch. */
  pressed?: boolean;
  /** Added to the button's own CSS class, unless `text` is set. */
  className?: string;
}

export function IconButton(props: IIconButtonProps): React.JSX.Element {
  const { icon, label, text, disabled, pressed, onClick, ...attributes } =
    props;
  const className = text
    ? 'jp-AIServer-Replay-button jp-AIServer-Replay-action'
    : `jp-AIServer-Replay-iconButton ${props.className ?? ''}`;
  // With `disabled`, the button would lose the focus, so `aria-disabled` is set.
  return (
    <button
      {...attributes}
      type="button"
      className={className}
      aria-label={label}
      title={label}
      aria-disabled={disabled || undefined}
      aria-pressed={pressed}
      onClick={disabled ? undefined : onClick}
    >
      <icon.react tag="span" />
      {text && <span>{text}</span>}
    </button>
  );
}
