import * as React from 'react';

/** A small label with a button that removes it. */
export function Chip(props: {
  title?: string;
  /** The tooltip of the button. */
  removeLabel: string;
  onRemove: () => void;
  className?: string;
  children: React.ReactNode;
}): React.JSX.Element {
  const { title, removeLabel, onRemove, className = '', children } = props;
  return (
    <span className={`jp-AIServer-Ask-chip ${className}`} title={title}>
      {children}
      <button
        type="button"
        aria-label={removeLabel}
        title={removeLabel}
        onClick={onRemove}
      >
        ×
      </button>
    </span>
  );
}
