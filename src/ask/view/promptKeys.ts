/** The keys of the prompt row. */
import type * as React from 'react';

import type { GenerationModel } from '../model/generation';

/** Handle a key that the prompt row and the diff share; returns whether it was handled. */
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
      void model.decision.reject();
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
    void model.decision.accept();
    return true;
  }
  return false;
}

/** Whether this is the key that opens the row. (On a Mac, Ctrl+K deletes to the end of the line.) */
export function isAskKey(event: React.KeyboardEvent): boolean {
  const isMac = navigator.platform.startsWith('Mac');
  const accel = isMac ? event.metaKey : event.ctrlKey;
  return accel && !event.shiftKey && event.key.toLowerCase() === 'k';
}
