/**
 * Recognizes the writes into a notebook that AI Server makes because a person asked for them, such
 * as accepting a suggestion.
 */
import { Contributor, PERSON } from '../records/contributor';

/** The contributor of the `runAsOwnWrite` call that is running; null if none is running. */
let currentContributor: Contributor | null = null;

/**
 * Run a function that writes into a notebook because the person asked for it.
 *
 * @param contributor The author of what is written. A cell's own events say who wrote accepted or
 * restored code, so the contributor of such a write is the person.
 */
export function runAsOwnWrite<T>(
  write: () => T,
  contributor: Contributor = PERSON
): T {
  const outerContributor = currentContributor;
  currentContributor = contributor;
  try {
    return write();
  } finally {
    currentContributor = outerContributor;
  }
}

/** The contributor of the function that is running in `runAsOwnWrite` right now; else null. */
export function ownWriteContributor(): Contributor | null {
  return currentContributor;
}
