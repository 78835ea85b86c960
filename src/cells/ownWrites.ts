/** Marks what AI Server itself writes into a notebook: always at a person's act. */

let depth = 0;

/** Do something that writes into a notebook for the person. */
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
