/** A button that is an icon; its words are its label. */
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
  /** For a button that is on or off. */
  pressed?: boolean;
  className?: string;
}

export function IconButton(props: IIconButtonProps): React.JSX.Element {
  const { icon, label, disabled, pressed, className, onClick, ...rest } = props;
  // `aria-disabled` and not `disabled`: at the last step the button keeps the focus.
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
