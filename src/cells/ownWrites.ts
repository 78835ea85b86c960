/**
 * Recognizes the writes into a notebook that AI Server makes because a person asked for them, such
 * as accepting a suggestion. The contributor of such a write is the person.
 */

/** The number of `runAsOwnWrite` calls that are running, because the calls can be nested. */
let ownWriteDepth = 0;

/** Run a function that writes into a notebook because the person asked for it. */
export function runAsOwnWrite<T>(write: () => T): T {
  ownWriteDepth++;
  try {
    return write();
  } finally {
    ownWriteDepth--;
  }
}

/** Whether a function is running in `runAsOwnWrite` right now. */
export function isOwnWrite(): boolean {
  return ownWriteDepth > 0;
}
