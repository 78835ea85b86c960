/**
 * Marks the writes that AI Server makes because a person asked for them, such as an accepted
 * suggestion, or because an agent did.
 */
import { IWriteAuthor, PERSON } from '../records/contributor';

let currentAuthor: IWriteAuthor | null = null;

/**
 * Run a function that writes into a notebook because the person or an agent asked for it.
 *
 * @param author - For accepted or restored code, the person. The recorded accept or restore event
 * says where the code comes from.
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

export function ownWriteAuthor(): IWriteAuthor | null {
  return currentAuthor;
}
