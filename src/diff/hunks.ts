/** Counts the hunks between two sources. The diff that is drawn over a cell has the same hunks. */
import { Chunk } from '@codemirror/merge';
import { Text } from '@codemirror/state';

import { DIFF_LIMITS } from './limits';

export function countHunks(from: string, to: string): number {
  return Chunk.build(textOf(from), textOf(to), DIFF_LIMITS).length;
}

/** Convert a source to CodeMirror's `Text`, with a line break at the end (see `hiddenEnd.ts`). */
function textOf(source: string): Text {
  return Text.of(`${source}\n`.split('\n'));
}
