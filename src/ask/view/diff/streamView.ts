/**
 * The text to show while an answer streams into a cell with code: the part that has arrived, and the
 * old lines that it will probably replace or repeat. A mere diff would show them as deleted.
 */

/** Each answer line since the last line found extends the search by one old line. */
const SEARCH_WINDOW = 40;

export interface IStreamView {
  doc: string;
  /** The offset in `doc` at which the partial answer ends. */
  writtenEnd: number;
}

export function streamView(original: string, partial: string): IStreamView {
  const lines = original.split('\n');
  const answer = partial.split('\n');
  const complete = answer.slice(0, -1);
  // The number of lines of `original` up to the last one that is also in the answer.
  let reachedCount = 0;
  // The number of complete lines in the answer after it, not found in `original`.
  let changedCount = 0;
  for (const line of complete) {
    const searchEnd = Math.min(
      lines.length,
      reachedCount + changedCount + SEARCH_WINDOW
    );
    const index = line.trim() ? lines.indexOf(line, reachedCount) : -1;
    if (index >= 0 && index < searchEnd) {
      reachedCount = index + 1;
      changedCount = 0;
    } else {
      changedCount += 1;
    }
  }
  // Assume that each changed line, and the unfinished last one, replaces one line of `original`.
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
