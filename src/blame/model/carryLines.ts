/**
 * Updates the contributors of lines while a person edits the cell, without asking the server again.
 * Undoing an edit restores the lines' contributors, because this always starts from the server's
 * result.
 */
import type { BlameLine } from '../../api/types';
import { listChanges } from '../../diff/lists';

export const UNRECORDED: BlameLine = {
  author: 'unknown',
  step: null,
  seq: null
};

/**
 * Return the `BlameLine` of each line of the current source; `lines` are those of `source`. An
 * unchanged line keeps its `BlameLine`.
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
