/**
 * The text to show while an answer streams into a cell that already has code.
 *
 * An answer is a complete new version of the cell, so a diff with its first half would show the
 * rest of the code as deleted. Instead the lines that the answer has not reached yet stay below it,
 * dimmed.
 */

/** The number of lines ahead in which a line of the answer is searched. */
const SEARCH_WINDOW = 40;

export interface IStreamView {
  /** The text to show. */
  doc: string;
  /** The offset at which the answer ends. */
  writtenEnd: number;
}

/** Return the partial answer, followed by the lines of `original` that it has not reached yet. */
export function streamView(original: string, partial: string): IStreamView {
  const lines = original.split('\n');
  const answer = partial.split('\n');
  const complete = answer.slice(0, -1);
  let reached = 0; // Number of lines of the code that the answer has passed.
  let changed = 0; // Number of later lines of the answer that are not in the code.
  for (const line of complete) {
    const limit = Math.min(lines.length, reached + changed + SEARCH_WINDOW);
    const index = line.trim() ? lines.indexOf(line, reached) : -1;
    if (index >= 0 && index < limit) {
      reached = index + 1;
      changed = 0;
    } else {
      changed += 1;
    }
  }
  // A changed line most likely replaces one line of the code; so does the unfinished one.
  const rest = lines.slice(reached + changed + (answer.at(-1) ? 1 : 0));
  if (!rest.length) {
    return { doc: partial, writtenEnd: partial.length };
  }
  const separator = answer.at(-1) ? '\n' : '';
  return {
    doc: partial + separator + rest.join('\n'),
    writtenEnd: partial.length
  };
}
