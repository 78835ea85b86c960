/** The keys that work in the prompt row. */
import { CommandRegistry } from '@lumino/commands';
import type * as React from 'react';

import type { GenerationModel } from '../../model/generation';

/**
 * Handle a key that has the same meaning in the prompt row and in the diff. `text` is the text in
 * the row's input field; for a key in the diff, it is left out. Return whether the key was handled.
 */
export function handleKey(
  model: GenerationModel,
  event: Pick<
    KeyboardEvent,
    'key' | 'code' | 'shiftKey' | 'ctrlKey' | 'metaKey' | 'altKey'
  >,
  text = ''
): boolean {
  const accel = event.ctrlKey || event.metaKey;
  const isSuggested = model.state.phase === 'suggested';
  if (isSuggested && handleChangeKey(model, event)) {
    return true;
  }
  if (event.key === 'Escape') {
    if (model.isBusy) {
      model.stop();
    } else if (isSuggested) {
      void model.decision.reject();
    } else {
      model.close(text);
    }
    return true;
  }
  const isCode = model.target.cellType === 'code';
  if (event.key === 'Enter' && event.altKey && isSuggested && isCode) {
    void model.decision.acceptAndRun();
    return true;
  }
  if (
    event.key === 'Enter' &&
    isSuggested &&
    (accel || (event.shiftKey && !text.trim()))
  ) {
    void model.decision.accept();
    return true;
  }
  return false;
}

/** The keys for one change of a suggestion, with Alt; on a Mac, with Control and Option. */
const CHANGE_KEYS = { accept: 'Y', regenerate: 'R', reject: 'N' };
export type ChangeAction = keyof typeof CHANGE_KEYS;

/** Handle a key that selects a change of the suggestion or decides on it; return whether it did. */
function handleChangeKey(
  model: GenerationModel,
  event: Pick<
    KeyboardEvent,
    'key' | 'code' | 'shiftKey' | 'ctrlKey' | 'metaKey' | 'altKey'
  >
): boolean {
  const { key, code, altKey, ctrlKey, metaKey, shiftKey } = event;
  if (!altKey || metaKey || shiftKey) {
    return false;
  }
  const isArrow = key === 'ArrowDown' || key === 'ArrowUp';
  if (isArrow && !ctrlKey) {
    model.decision.selectChange(key === 'ArrowDown' ? 1 : -1);
    return true;
  }
  // On a Mac, Option and a letter write another character, so Control is needed, too.
  if (ctrlKey !== isMac()) {
    return false;
  }
  const letter = isMac() ? code.slice(3) : key.toUpperCase();
  const actions = Object.keys(CHANGE_KEYS) as ChangeAction[];
  const action = actions.find(action => CHANGE_KEYS[action] === letter);
  const { change } = model.state;
  if (action && change === null) {
    model.decision.selectChange(1); // Show the change first; the next press decides.
  } else if (action) {
    runChangeAction(model, change!, action);
  }
  return !!action;
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

/** Return the keys of an action for the selected change, such as “Alt+Y”. */
export function changeKeys(action: ChangeAction): string {
  const modifiers = isMac() ? 'Ctrl Alt' : 'Alt';
  return CommandRegistry.formatKeystroke(`${modifiers} ${CHANGE_KEYS[action]}`);
}

/** Return whether a key opens the row. On a Mac, Ctrl+K deletes to the end of the line. */
export function isAskKey(event: React.KeyboardEvent): boolean {
  const accel = isMac() ? event.metaKey : event.ctrlKey;
  return accel && !event.shiftKey && event.key.toLowerCase() === 'k';
}
