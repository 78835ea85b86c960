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
 * @param contributor - The contributor of the write. For accepted or restored code, this is the
 * person, who accepted or restored it. The accept or restore event that is recorded for the write
 * says where the code comes from.
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
