/**
 * The difference between two texts in whole lines.
 *
 * Invariants: replacing each hunk's range of the text before by its range of the text after yields
 * the text after, and the reverse.
 *
 * CodeMirror's `Chunk.build` is not used, although its line boundaries are the same: it omits an
 * empty line that is added or removed next to another empty line.
 */
import { Change, presentableDiff } from '@codemirror/merge';

import { DIFF_LIMITS } from './limits';

/**
 * A change of whole lines: a range in the text before (A), and the range in the text after (B) that
 * replaces it. A range is empty if its `from` equals its `to`.
 */
export interface IHunk {
  readonly fromA: number;
  /** The offset after the line break that ends the range's last line. */
  readonly toA: number;
  readonly fromB: number;
  readonly toB: number;
  /** The changes within the hunk. */
  readonly changes: readonly Change[];
}

/** The texts, each with a line break at its end, and their hunks. */
export interface ILineDiff {
  readonly a: string;
  readonly b: string;
  readonly hunks: readonly IHunk[];
}

/** Compute the difference between two texts in whole lines. */
export function lineDiff(before: string, code: string): ILineDiff {
  // Add a final line break, so that adding a line at the end doesn't change the line before it.
  const a = `${before}\n`;
  const b = `${code}\n`;
  const hunks: IHunk[] = [];
  for (const change of presentableDiff(a, b, DIFF_LIMITS)) {
    const hunk = wholeLines(a, b, change);
    const previous = hunks[hunks.length - 1];
    // Merge hunks between which there is at most one empty line in one of the texts.
    const isAdjacent =
      previous &&
      (hunk.fromA <= previous.toA + 1 || hunk.fromB <= previous.toB + 1);
    if (isAdjacent) {
      const { fromA, fromB, changes } = previous;
      const { toA, toB } = hunk;
      hunks[hunks.length - 1] = {
        fromA,
        toA,
        fromB,
        toB,
        changes: [...changes, change]
      };
    } else {
      hunks.push(hunk);
    }
  }
  return { a, b, hunks };
}

/** Return the start and the end of the line at an offset; the end is before its line break. */
export function lineAt(
  text: string,
  offset: number
): { from: number; to: number } {
  const end = text.indexOf('\n', offset);
  return {
    from: offset === 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1,
    to: end < 0 ? text.length : end
  };
}

/** Extend a change to whole lines. */
function wholeLines(a: string, b: string, change: Change): IHunk {
  const [startA, startB] = [lineAt(a, change.fromA), lineAt(b, change.fromB)];
  const [endA, endB] = [lineAt(a, change.toA), lineAt(b, change.toB)];
  // A change that ends at the start of a line in both texts doesn't include that line.
  const endsAtLineStart = endA.from === change.toA && endB.from === change.toB;
  const toA = endsAtLineStart ? change.toA : endA.to + 1;
  const toB = endsAtLineStart ? change.toB : endB.to + 1;
  // A change that starts at the end of a line in both texts doesn't include that line, unless it
  // would then be empty in one of them.
  const startsAtLineEnd =
    startA.to === change.fromA &&
    startB.to === change.fromB &&
    startA.to < toA &&
    startB.to < toB;
  return {
    fromA: startsAtLineEnd ? startA.to + 1 : startA.from,
    toA,
    fromB: startsAtLineEnd ? startB.to + 1 : startB.from,
    toB,
    changes: [change]
  };
}
