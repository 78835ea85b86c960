/** A button that shows only an icon. Its label is its tooltip, and is read by screen readers. */
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
  /** Whether the button is switched on; undefined if it is not a switch. */
  pressed?: boolean;
  className?: string;
}

export function IconButton(props: IIconButtonProps): React.JSX.Element {
  const { icon, label, disabled, pressed, className, onClick, ...attributes } =
    props;
  // If `disabled` were set, the button would lose the focus. So `aria-disabled` is set instead.
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
