/**
 * What to show while an answer streams into a cell that has code already.
 *
 * An answer is a whole new version of the cell, so its first half, taken alone, would show
 * the second half of the code as deleted. Instead the lines that the answer has not
 * reached yet stay below it, dimmed.
 */

/** How far ahead a line of the answer is looked for in the code. */
const WINDOW = 40;

export interface IStreamView {
  /** The text to show. */
  doc: string;
  /** Where what has been written ends. */
  written: number;
}

/** The answer so far, then the lines of `original` that it has not reached yet. */
export function streamView(original: string, partial: string): IStreamView {
  const before = original.split('\n');
  const answer = partial.split('\n');
  const complete = answer.slice(0, -1);
  let reached = 0; // Lines of the code that the answer has passed.
  let changed = 0; // Lines of the answer since then that are not in the code.
  for (const line of complete) {
    const limit = Math.min(before.length, reached + changed + WINDOW);
    const found = line.trim() ? before.indexOf(line, reached) : -1;
    if (found >= 0 && found < limit) {
      reached = found + 1;
      changed = 0;
    } else {
      changed += 1;
    }
  }
  // A changed line most likely stands for one line of the code; so does the unfinished one.
  const rest = before.slice(reached + changed + (answer.at(-1) ? 1 : 0));
  if (!rest.length) {
    return { doc: partial, written: partial.length };
  }
  const joint = answer.at(-1) ? '\n' : '';
  return { doc: partial + joint + rest.join('\n'), written: partial.length };
}
