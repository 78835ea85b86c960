/**
 * Keeps the contributors of lines up to date while a person edits the cell, without a request.
 *
 * Invariants: the result has exactly one `BlameLine` for each line of the edited source. An
 * unchanged line keeps its `BlameLine`; a new line has an unknown contributor. Undoing an edit
 * restores the lines' contributors, because the function always starts from the server's result and
 * never from its own earlier result.
 */
import type { BlameLine } from '../../api/types';
import { listChanges } from '../../diff/lists';

/** The `BlameLine` of a new line, which no step of the cell's history contains yet. */
export const UNRECORDED: BlameLine = {
  author: 'unknown',
  step: null,
  seq: null
};

/** Carry the `lines` of `source`, as the server returned them, over to the `current` source. */
export function carryLines(
  lines: readonly BlameLine[],
  source: string,
  current: string
): readonly BlameLine[] {
  const before = source.split('\n');
  const after = current.split('\n');
  const result: BlameLine[] = [];
  let oldIndex = 0;
  for (const change of listChanges(before, after)) {
    while (oldIndex < change.fromA) {
      result.push(lines[oldIndex++] ?? UNRECORDED);
    }
    for (let index = change.fromB; index < change.toB; index++) {
      result.push(UNRECORDED);
    }
    oldIndex = change.toA;
  }
  while (result.length < after.length) {
    result.push(lines[oldIndex++] ?? UNRECORDED);
  }
  return result;
}
