/** The hunks between two sources. The diff that is drawn over a cell has the same hunks. */
import { Chunk } from '@codemirror/merge';
import { Text } from '@codemirror/state';

import { DIFF_LIMITS } from './limits';

export function countHunks(from: string, to: string): number {
  return hunksOf(from, to).length;
}

/** Return the source `from` with one hunk of the source `to`. */
export function applyHunk(from: string, to: string, index: number): string {
  const hunk = hunksOf(from, to)[index];
  return hunk ? replaceHunk(from, to, index, 'A') : from;
}

/** Return the source `to` without one of its hunks: `from` has the text there. */
export function revertHunk(from: string, to: string, index: number): string {
  const hunk = hunksOf(from, to)[index];
  return hunk ? replaceHunk(from, to, index, 'B') : to;
}

/** Return the index of the hunk at an offset of the source `to`; -1 if there is none. */
export function hunkIndexAt(from: string, to: string, offset: number): number {
  return hunksOf(from, to).findIndex(
    ({ fromB, endB }) => fromB <= offset && offset <= endB
  );
}

/** Return the offsets of a hunk's lines in the source `to`; both are equal if it removes lines. */
export function hunkRange(
  from: string,
  to: string,
  index: number
): { from: number; to: number } | null {
  const hunk = hunksOf(from, to)[index];
  return hunk
    ? { from: hunk.fromB, to: Math.max(hunk.fromB, hunk.toB - 1) }
    : null;
}

/**
 * Return the source that has both the changes from `base` to `mine` and those from `base` to
 * `other`; null if they change the same lines, or insert lines at the same place.
 */
export function mergeSources(
  base: string,
  mine: string,
  other: string
): string | null {
  const ours = hunksOf(base, mine);
  const theirs = hunksOf(base, other);
  const overlap = ours.some(our => theirs.some(their => overlaps(our, their)));
  if (overlap) {
    return null;
  }
  const ended = withEnd(other);
  let merged = withEnd(mine);
  // Apply the last change first, so that the offsets of the changes before it stay valid.
  for (const { fromA, toA, fromB, toB } of [...theirs].reverse()) {
    const shift = ours
      .filter(hunk => hunk.toA <= fromA)
      .reduce(
        (sum, hunk) => sum + hunk.toB - hunk.fromB - hunk.toA + hunk.fromA,
        0
      );
    merged =
      merged.slice(0, fromA + shift) +
      ended.slice(fromB, toB) +
      merged.slice(toA + shift);
  }
  return merged.slice(0, -1);
}

/** Return whether two hunks change the same lines of the source from which both start. */
function overlaps(left: Chunk, right: Chunk): boolean {
  const isInsertion = left.fromA === left.toA || right.fromA === right.toA;
  return isInsertion
    ? left.fromA <= right.toA && right.fromA <= left.toA
    : left.fromA < right.toA && right.fromA < left.toA;
}

function hunksOf(from: string, to: string): readonly Chunk[] {
  return Chunk.build(textOf(from), textOf(to), DIFF_LIMITS);
}

/** Replace a hunk in one of the two sources by the other one's text. */
function replaceHunk(
  from: string,
  to: string,
  index: number,
  changed: 'A' | 'B'
): string {
  const { fromA, toA, fromB, toB } = hunksOf(from, to)[index];
  const [a, b] = [withEnd(from), withEnd(to)];
  const replaced =
    changed === 'A'
      ? a.slice(0, fromA) + b.slice(fromB, toB) + a.slice(toA)
      : b.slice(0, fromB) + a.slice(fromA, toA) + b.slice(toB);
  return replaced.slice(0, -1);
}

/** Add a line break at the end of a source, as the editors do that show a diff (`hiddenEnd.ts`). */
function withEnd(source: string): string {
  return `${source}\n`;
}

function textOf(source: string): Text {
  return Text.of(withEnd(source).split('\n'));
}
