/**
 * Updates the contributors of lines while a person edits the cell, without asking the server again.
 *
 * A `BlameLine` contains the contributor of a line and the step that wrote the line.
 *
 * Invariants: `carryLines` returns exactly one `BlameLine` for each line of the edited source. An
 * unchanged line keeps its `BlameLine`; a new line has an unknown contributor. Undoing an edit
 * restores the lines' contributors, because `carryLines` always starts from the server's result and
 * never from a result of its own.
 */
import type { BlameLine } from '../../api/types';
import { listChanges } from '../../diff/lists';

/** The `BlameLine` of a new line, which isn't in the cell's history yet. */
export const UNRECORDED: BlameLine = {
  author: 'unknown',
  step: null,
  seq: null
};

/**
 * Return the `BlameLine` of each line of the cell's current source.
 *
 * @param lines - The lines that the server returned.
 * @param source - The source to which `lines` belong.
 */
export function carryLines(
  lines: readonly BlameLine[],
  source: string,
  currentSource: string
): readonly BlameLine[] {
  const oldLines = source.split('\n');
  const newLines = currentSource.split('\n');
  const result: BlameLine[] = [];
  let oldIndex = 0;
  for (const change of listChanges(oldLines, newLines)) {
    while (oldIndex < change.fromA) {
      result.push(lines[oldIndex++] ?? UNRECORDED);
    }
    for (let index = change.fromB; index < change.toB; index++) {
      result.push(UNRECORDED);
    }
    oldIndex = change.toA;
  }
  while (result.length < newLines.length) {
    result.push(lines[oldIndex++] ?? UNRECORDED);
  }
  return result;
}
