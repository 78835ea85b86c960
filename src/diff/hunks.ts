/** Counts the separate changes between two sources, as shown by the diff over the cell. */
import { Chunk } from '@codemirror/merge';
import { Text } from '@codemirror/state';

import { DIFF_LIMITS } from './limits';

export function countHunks(from: string, to: string): number {
  return Chunk.build(textOf(from), textOf(to), DIFF_LIMITS).length;
}

/** Add a final line break, so that an added line is a separate change. */
function textOf(source: string): Text {
  return Text.of(`${source}\n`.split('\n'));
}
