/**
 * A roving tab index: a list of buttons is one stop for the Tab key, and arrow keys move in it.
 */
import React from 'react';

/** Handle a key press in a list by moving the focus to another of its buttons. */
export function moveFocus(event: React.KeyboardEvent<HTMLElement>): void {
  const buttons = Array.from(
    event.currentTarget.querySelectorAll<HTMLElement>('button')
  );
  const at = buttons.indexOf(document.activeElement as HTMLElement);
  const targets: Record<string, number> = {
    ArrowUp: at - 1,
    ArrowDown: at + 1,
    Home: 0,
    End: buttons.length - 1
  };
  const target = targets[event.key];
  if (at < 0 || target === undefined) {
    return;
  }
  event.preventDefault();
  event.stopPropagation();
  buttons[Math.max(0, Math.min(buttons.length - 1, target))].focus();
}
