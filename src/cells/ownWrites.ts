/**
 * Marks AI Server's own writes into a notebook, whose contributor is the person who started them.
 */

let depth = 0;

/** Run a function that writes into a notebook on behalf of the person. */
export function runAsOwnWrite<T>(work: () => T): T {
  depth++;
  try {
    return work();
  } finally {
    depth--;
  }
}

/** Whether AI Server is writing right now. */
export function isOwnWrite(): boolean {
  return depth > 0;
}
