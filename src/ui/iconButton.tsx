/** A button that shows only an icon. Its label is the tooltip, and screen readers read it. */
import type { LabIcon } from '@jupyterlab/ui-components';
import React from 'react';

type Attributes = React.ButtonHTMLAttributes<HTMLButtonElement>;

export interface IIconButtonProps extends Pick<
  Attributes,
  'aria-expanded' | 'aria-haspopup' | 'onClick' | 'onPointerDown'
> {
  icon: LabIcon;
  label: string;
  disabled?: boolean;
  /** Whether the button is on; undefined if the button can't be turned on and off. */
  pressed?: boolean;
  className?: string;
}

export function IconButton(props: IIconButtonProps): React.JSX.Element {
  const { icon, label, disabled, pressed, className, onClick, ...attributes } =
    props;
  // A button with `disabled` would lose the focus, so `aria-disabled` is set instead.
  return (
    <button
      {...attributes}
      type="button"
      className={`jp-AIServer-Replay-iconButton ${className ?? ''}`}
      aria-label={label}
      title={label}
      aria-disabled={disabled || undefined}
      aria-pressed={pressed}
      onClick={disabled ? undefined : onClick}
    >
      <icon.react tag="span" />
    </button>
  );
}
