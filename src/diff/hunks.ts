/** The hunks between two sources. The diff that is drawn over a cell has the same ones. */
import { Chunk } from '@codemirror/merge';
import { Text } from '@codemirror/state';

import { DIFF_LIMITS } from './limits';

export function countHunks(from: string, to: string): number {
  return hunksOf(from, to).length;
}

/** Return the source `from` with one hunk of `to`. */
export function applyHunk(from: string, to: string, index: number): string {
  const hunk = hunksOf(from, to)[index];
  const text = withEnd(to).slice(hunk?.fromB, hunk?.toB);
  return hunk ? replaceRange(from, hunk.fromA, hunk.toA, text) : from;
}

/** Return the source `to` without one of its hunks. */
export function revertHunk(from: string, to: string, index: number): string {
  const hunk = hunksOf(from, to)[index];
  const text = withEnd(from).slice(hunk?.fromA, hunk?.toA);
  return hunk ? replaceRange(to, hunk.fromB, hunk.toB, text) : to;
}

/** Return the index of the hunk at an offset of `to`; -1 if there is none. */
export function hunkIndexAt(from: string, to: string, offset: number): number {
  return hunksOf(from, to).findIndex(
    ({ fromB, endB }) => fromB <= offset && offset <= endB
  );
}

/** Return the offsets of a hunk's lines in `to`; both are equal if it removes lines. */
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
 * Return the source with the changes from `base` to `mine` and to `other`; null if they change the
 * same lines, or insert lines at the same place.
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
  let merged = mine;
  // From the end, so that the offsets of earlier changes stay valid.
  for (const { fromA, toA, fromB, toB } of [...theirs].reverse()) {
    const shift = ours
      .filter(hunk => hunk.toA <= fromA)
      .reduce(
        (sum, hunk) => sum + hunk.toB - hunk.fromB - hunk.toA + hunk.fromA,
        0
      );
    const text = withEnd(other).slice(fromB, toB);
    merged = replaceRange(merged, fromA + shift, toA + shift, text);
  }
  return merged;
}

/** Return whether two hunks change the same lines of their common source. */
function overlaps(left: Chunk, right: Chunk): boolean {
  const isInsertion = left.fromA === left.toA || right.fromA === right.toA;
  return isInsertion
    ? left.fromA <= right.toA && right.fromA <= left.toA
    : left.fromA < right.toA && right.fromA < left.toA;
}

function hunksOf(from: string, to: string): readonly Chunk[] {
  return Chunk.build(textOf(from), textOf(to), DIFF_LIMITS);
}

function replaceRange(
  source: string,
  from: number,
  to: number,
  text: string
): string {
  const ended = withEnd(source);
  return (ended.slice(0, from) + text + ended.slice(to)).slice(0, -1);
}

/** The editors that show a diff add a line break (`hiddenEnd.ts`). */
function withEnd(source: string): string {
  return `${source}\n`;
}

function textOf(source: string): Text {
  return Text.of(withEnd(source).split('\n'));
}
