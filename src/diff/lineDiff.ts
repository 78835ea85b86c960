/**
 * The difference between two texts in whole lines.
 *
 * Invariants: replacing the hunks of one text yields the other. CodeMirror's `Chunk.build` has the
 * same line boundaries, but loses an empty line that is added or removed next to another one.
 */
import { Change, presentableDiff } from '@codemirror/merge';

import { DIFF_LIMITS } from './limits';

/** A range of whole lines in the texts before (A) and after (B); empty if `from` equals `to`. */
export interface IHunk {
  readonly fromA: number;
  /** The offset after the line break of its last line. */
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

export function lineDiff(before: string, code: string): ILineDiff {
  // With a final line break, a line added at the end doesn't change the previous one.
  const a = `${before}\n`;
  const b = `${code}\n`;
  const hunks: IHunk[] = [];
  for (const change of presentableDiff(a, b, DIFF_LIMITS)) {
    const next = wholeLines(a, b, change);
    const last = hunks[hunks.length - 1];
    // Hunks with at most one empty line between them are merged.
    if (last && (next.fromA <= last.toA + 1 || next.fromB <= last.toB + 1)) {
      const { fromA, fromB, changes } = last;
      const { toA, toB } = next;
      const all = [...changes, change];
      hunks[hunks.length - 1] = {
        fromA,
        toA,
        fromB,
        toB,
        changes: all
      };
    } else {
      hunks.push(next);
    }
  }
  return { a, b, hunks };
}

/** The start and the end, without its line break, of the line at an offset. */
export function lineAt(text: string, at: number): { from: number; to: number } {
  const end = text.indexOf('\n', at);
  return {
    from: at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1,
    to: end < 0 ? text.length : end
  };
}

function wholeLines(a: string, b: string, change: Change): IHunk {
  const [startA, startB] = [lineAt(a, change.fromA), lineAt(b, change.fromB)];
  const [endA, endB] = [lineAt(a, change.toA), lineAt(b, change.toB)];
  const isAtStart = endA.from === change.toA && endB.from === change.toB;
  const toA = isAtStart ? change.toA : endA.to + 1;
  const toB = isAtStart ? change.toB : endB.to + 1;
  // A change at the end of a line in both texts starts with the next line, if it covers one.
  const isAfter =
    startA.to === change.fromA &&
    startB.to === change.fromB &&
    startA.to < toA &&
    startB.to < toB;
  return {
    fromA: isAfter ? startA.to + 1 : startA.from,
    toA,
    fromB: isAfter ? startB.to + 1 : startB.from,
    toB,
    changes: [change]
  };
}
