/** The keys that work in the prompt row. */
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
    'key' | 'shiftKey' | 'ctrlKey' | 'metaKey' | 'altKey'
  >,
  text = ''
): boolean {
  const accel = event.ctrlKey || event.metaKey;
  const isSuggested = model.state.phase === 'suggested';
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
    void model.runs.start();
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

/**
 * Return whether a key is the one that opens the row: Ctrl+K, or Cmd+K on a Mac, where Ctrl+K
 * deletes the text to the end of the line.
 */
export function isAskKey(event: React.KeyboardEvent): boolean {
  const isMac = navigator.platform.startsWith('Mac');
  const accel = isMac ? event.metaKey : event.ctrlKey;
  return accel && !event.shiftKey && event.key.toLowerCase() === 'k';
}
