/**
 * Marks the writes that AI Server makes into a notebook because a person asked for them, such as
 * the code of an accepted suggestion, or because an agent did.
 */
import { IWriteAuthor, PERSON } from '../records/contributor';

/** The author of the `runAsOwnWrite` call that is running; null if none is running. */
let currentAuthor: IWriteAuthor | null = null;

/**
 * Run a function that writes into a notebook because the person or an agent asked for it.
 *
 * @param author - The author of the write. For accepted or restored code, this is the person, who
 * accepted or restored it. The accept or restore event that is recorded for the write says where
 * the code comes from.
 */
export function runAsOwnWrite<T>(
  write: () => T,
  author: IWriteAuthor = { contributor: PERSON }
): T {
  const outerAuthor = currentAuthor;
  currentAuthor = author;
  try {
    return write();
  } finally {
    currentAuthor = outerAuthor;
  }
}

/** Return the author of the running `runAsOwnWrite` call; null if none is running. */
export function ownWriteAuthor(): IWriteAuthor | null {
  return currentAuthor;
}
