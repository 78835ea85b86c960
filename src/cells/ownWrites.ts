/**
 * Marks the writes that AI Server makes into a notebook because a person asked for them, such as
 * the code of an accepted suggestion.
 */
import { Contributor, PERSON } from '../records/contributor';

/** The contributor of the `runAsOwnWrite` call that is running; null if none is running. */
let currentContributor: Contributor | null = null;

/**
 * Run a function that writes into a notebook because the person asked for it.
 *
 * @param contributor The author of what is written. For accepted or restored code, pass the person:
 * the event that the cell records for such a write says who wrote the code.
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

/** Return the contributor of the running `runAsOwnWrite` call; null if none is running. */
export function ownWriteContributor(): Contributor | null {
  return currentContributor;
}
