/**
 * The text to show while an answer streams into a cell that already has code.
 *
 * An answer is a complete new version of the cell. A diff with the first half of an answer would
 * show the second half of the old code as deleted. So the old lines that the answer has not reached
 * yet are shown below it, dimmed.
 */

/** The number of the next old lines among which a line of the answer is searched. */
const SEARCH_WINDOW = 40;

export interface IStreamView {
  /** The text to show. */
  doc: string;
  /** The offset at which the answer ends. */
  writtenEnd: number;
}

/** Return the partial answer, followed by the old lines that the answer has not reached yet. */
export function streamView(original: string, partial: string): IStreamView {
  const lines = original.split('\n');
  const answer = partial.split('\n');
  const complete = answer.slice(0, -1);
  let reachedCount = 0; // Number of lines of `original` that the answer has reached.
  let changedCount = 0; // Number of the answer's lines since then that are not in `original`.
  for (const line of complete) {
    const limit = Math.min(
      lines.length,
      reachedCount + changedCount + SEARCH_WINDOW
    );
    const index = line.trim() ? lines.indexOf(line, reachedCount) : -1;
    if (index >= 0 && index < limit) {
      reachedCount = index + 1;
      changedCount = 0;
    } else {
      changedCount += 1;
    }
  }
  // Assume that each changed line, and the unfinished last line, replaces one line of `original`.
  const remainingLines = lines.slice(
    reachedCount + changedCount + (answer.at(-1) ? 1 : 0)
  );
  if (!remainingLines.length) {
    return { doc: partial, writtenEnd: partial.length };
  }
  const separator = answer.at(-1) ? '\n' : '';
  return {
    doc: partial + separator + remainingLines.join('\n'),
    writtenEnd: partial.length
  };
}
