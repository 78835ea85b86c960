/**
 * Finds the contributors of the lines of an edited text, from those of the source before. Pure.
 *
 * Invariants: the result has exactly one `BlameLine` per line. Unchanged lines keep theirs; a new
 * line has an unknown contributor. Undoing an edit restores the lines' contributors, because the
 * input is always the server's result, and never an earlier output of this function.
 */
import type { BlameLine } from '../../api/types';
import { listChanges } from '../../diff/lists';

/** The `BlameLine` of a line that isn't recorded in any step. */
export const UNRECORDED: BlameLine = {
  author: 'unknown',
  step: null,
  seq: null
};

export function carryLines(
  lines: readonly BlameLine[],
  source: string,
  current: string
): readonly BlameLine[] {
  const before = source.split('\n');
  const after = current.split('\n');
  const result: BlameLine[] = [];
  let from = 0;
  for (const change of listChanges(before, after)) {
    while (from < change.fromA) {
      result.push(lines[from++] ?? UNRECORDED);
    }
    for (let at = change.fromB; at < change.toB; at++) {
      result.push(UNRECORDED);
    }
    from = change.toA;
  }
  while (result.length < after.length) {
    result.push(lines[from++] ?? UNRECORDED);
  }
  return result;
}
