/**
 * What keys mean in the prompt row.
 */
import type * as React from 'react';

import type { GenerationModel } from '../model/generation';

/** Keys that mean the same in the row and in the diff; true if the key was taken. */
export function handleKey(
  model: GenerationModel,
  event: { key: string; shiftKey: boolean; ctrlKey: boolean; metaKey: boolean },
  text = ''
): boolean {
  const accel = event.ctrlKey || event.metaKey;
  const suggested = model.state.phase === 'suggested';
  if (event.key === 'Escape') {
    if (model.isBusy) {
      model.stop();
    } else if (suggested) {
      void model.reject();
    } else {
      model.close(text);
    }
    return true;
  }
  if (
    event.key === 'Enter' &&
    suggested &&
    (accel || (event.shiftKey && !text.trim()))
  ) {
    void model.accept();
    return true;
  }
  return false;
}

/** The key that asks. (On a Mac, Ctrl+K deletes the rest of a line.) */
export function isAskKey(event: React.KeyboardEvent): boolean {
  const isMac = navigator.platform.startsWith('Mac');
  const accel = isMac ? event.metaKey : event.ctrlKey;
  return accel && !event.shiftKey && event.key.toLowerCase() === 'k';
}
