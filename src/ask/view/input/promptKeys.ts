import { CommandRegistry } from '@lumino/commands';
import type * as React from 'react';

import type { GenerationModel } from '../../model/generation';

type Key = Pick<
  KeyboardEvent,
  'key' | 'code' | 'shiftKey' | 'ctrlKey' | 'metaKey' | 'altKey'
>;

/** Return whether a key of the row, with `text` in its field, or of the diff was handled. */
export function handleKey(
  model: GenerationModel,
  event: Key,
  text = ''
): boolean {
  if (model.state.phase === 'suggested') {
    return (
      handleChangeKey(model, event) || handleDecisionKey(model, event, text)
    );
  }
  if (event.key !== 'Escape') {
    return false;
  }
  if (model.isBusy) {
    model.stop();
  } else {
    model.close(text);
  }
  return true;
}

function handleDecisionKey(
  { decision, target }: GenerationModel,
  { altKey, ctrlKey, key, metaKey, shiftKey }: Key,
  text: string
): boolean {
  if (key === 'Escape') {
    void decision.reject();
    return true;
  }
  if (key !== 'Enter') {
    return false;
  }
  if (altKey && target.cellType === 'code') {
    void decision.acceptAndRun();
    return true;
  }
  const isAccept = ctrlKey || metaKey || (shiftKey && !text.trim());
  if (isAccept) {
    void decision.accept();
  }
  return isAccept;
}

/** These need Alt; on a Mac, Control and Option. */
const CHANGE_KEYS = { accept: 'Y', regenerate: 'R', reject: 'N' };
export type ChangeAction = keyof typeof CHANGE_KEYS;

function handleChangeKey(model: GenerationModel, event: Key): boolean {
  const { key, altKey, ctrlKey, metaKey, shiftKey } = event;
  if (!altKey || metaKey || shiftKey) {
    return false;
  }
  const direction = ({ ArrowDown: 1, ArrowUp: -1 } as const)[key];
  if (direction && !ctrlKey) {
    model.decision.selectChange(direction);
    return true;
  }
  const action = changeAction(event);
  const { change } = model.state;
  if (action && change === null) {
    model.decision.selectChange(1); // Show the change first; the next press decides.
  } else if (action) {
    runChangeAction(model, change!, action);
  }
  return !!action;
}

function changeAction({ code, ctrlKey, key }: Key): ChangeAction | undefined {
  // On a Mac, Option and a letter write another character.
  const letter = isMac() ? code.slice(3) : key.toUpperCase();
  const actions = Object.keys(CHANGE_KEYS) as ChangeAction[];
  return ctrlKey === isMac()
    ? actions.find(action => CHANGE_KEYS[action] === letter)
    : undefined;
}

function isMac(): boolean {
  return navigator.platform.startsWith('Mac');
}

export function runChangeAction(
  model: GenerationModel,
  change: number,
  action: ChangeAction
): void {
  if (action === 'accept') {
    void model.decision.acceptChange(change);
  } else if (action === 'reject') {
    model.decision.rejectChange(change);
  } else {
    void model.decision.regenerateChange(change);
  }
}

export function changeKeys(action: ChangeAction): string {
  const modifiers = isMac() ? 'Ctrl Alt' : 'Alt';
  return CommandRegistry.formatKeystroke(`${modifiers} ${CHANGE_KEYS[action]}`);
}

/** On a Mac, Ctrl+K deletes to the end of the line. */
export function isAskKey(event: React.KeyboardEvent): boolean {
  const accel = isMac() ? event.metaKey : event.ctrlKey;
  return accel && !event.shiftKey && event.key.toLowerCase() === 'k';
}
