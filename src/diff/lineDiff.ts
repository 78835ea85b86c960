/**
 * Computes the difference between two texts, A and B, in whole lines. Invariant: if each hunk's
 * lines in A are replaced with its lines in B, the result is B, and the other way round.
 *
 * CodeMirror's `Chunk.build` isn't used, because it omits an empty line that is added or removed
 * next to another one.
 */
import { Change, presentableDiff } from '@codemirror/merge';

import { DIFF_LIMITS } from './limits';

export interface IRange {
  readonly from: number;
  readonly to: number;
}

export interface IHunk {
  readonly fromA: number;
  /** After the line break of the range's last line. */
  readonly toA: number;
  readonly fromB: number;
  readonly toB: number;
  readonly changes: readonly Change[];
}

/** The texts, each with an additional line break at its end, and their hunks. */
export interface ILineDiff {
  readonly a: string;
  readonly b: string;
  readonly hunks: readonly IHunk[];
}

export function lineDiff(before: string, code: string): ILineDiff {
  // See `hiddenEnd.ts`.
  const a = `${before}\n`;
  const b = `${code}\n`;
  const hunks: IHunk[] = [];
  for (const change of presentableDiff(a, b, DIFF_LIMITS)) {
    const hunk = extendToLines(a, b, change);
    const previous = hunks[hunks.length - 1];
    // Merge two hunks if, in A or in B, at most one empty line is between them.
    const isAdjacent =
      previous &&
      (hunk.fromA <= previous.toA + 1 || hunk.fromB <= previous.toB + 1);
    if (isAdjacent) {
      const { toA, toB } = hunk;
      const changes = [...previous.changes, change];
      hunks[hunks.length - 1] = { ...previous, toA, toB, changes };
    } else {
      hunks.push(hunk);
    }
  }
  return { a, b, hunks };
}

/** Return the start and the end (without the line break) of the line at `offset`. */
export function lineAt(text: string, offset: number): IRange {
  const end = text.indexOf('\n', offset);
  return {
    from: offset === 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1,
    to: end < 0 ? text.length : end
  };
}

function extendToLines(a: string, b: string, change: Change): IHunk {
  const [startA, startB] = [lineAt(a, change.fromA), lineAt(b, change.fromB)];
  const [endA, endB] = [lineAt(a, change.toA), lineAt(b, change.toB)];
  // If the change ends at the start of a line in both texts, the hunk doesn't include it.
  const endsAtLineStart = endA.from === change.toA && endB.from === change.toB;
  const toA = endsAtLineStart ? change.toA : endA.to + 1;
  const toB = endsAtLineStart ? change.toB : endB.to + 1;
  // If the change starts at the end of a line in both texts, the hunk starts with the next one,
  // unless its range in A or in B would then start after its end.
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

/** The share of changed characters from which lines count as rewritten. */
const MAX_CHANGED_SHARE = 0.6;

/** Return whether marking changed words helps. In rewritten lines, nearly all would be marked. */
export function areSimilar(original: string, code: string): boolean {
  let total = 0;
  let changed = 0;
  for (const { fromA, toA, fromB, toB, changes } of lineDiff(original, code)
    .hunks) {
    total += toA - fromA + toB - fromB;
    for (const change of changes) {
      changed += change.toA - change.fromA + change.toB - change.fromB;
    }
  }
  return changed < total * MAX_CHANGED_SHARE;
}
