/** A button with an icon and an accessible label. */
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
  /** Whether a toggle button is on. */
  pressed?: boolean;
  className?: string;
}

export function IconButton(props: IIconButtonProps): React.JSX.Element {
  const { icon, label, disabled, pressed, className, onClick, ...rest } = props;
  // `aria-disabled` instead of `disabled`, so that the button keeps the focus.
  return (
    <button
      {...rest}
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
