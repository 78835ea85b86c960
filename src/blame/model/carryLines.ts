/**
 * Carries the contributors of a source's lines over to its edited text. Pure.
 *
 * Invariants: the result has exactly one entry per line. Unchanged lines keep their entry; new
 * lines are unrecorded, with an unknown contributor (P40). Undoing an edit restores its entries,
 * because the input is always the server's result and never an earlier output.
 */
import type { BlameLine } from '../../api/types';
import { listChanges } from '../../diff/lists';

/** The entry of a line that no step has recorded. */
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
