/** How many separate changes lead from one source to another: as many as the diff over the cell shows. */
import { Chunk } from '@codemirror/merge';
import { Text } from '@codemirror/state';

import { DIFF_LIMITS } from './limits';

export function hunks(from: string, to: string): number {
  return Chunk.build(textOf(from), textOf(to), DIFF_LIMITS).length;
}

/** A line break at the end, so that an added line is a change of its own. */
function textOf(source: string): Text {
  return Text.of(`${source}\n`.split('\n'));
}
