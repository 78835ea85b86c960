/** Recognises the keys with which a person composes text, for example Chinese. */
import type * as React from 'react';

/**
 * Return whether a key belongs to an input method. For the key that ends a composition, Safari sets
 * `isComposing` to false, but `keyCode` is 229, as for all keys that an input method handles.
 */
export function isComposing(event: React.KeyboardEvent): boolean {
  return event.nativeEvent.isComposing || event.keyCode === 229;
}
