/** Count the separate changes between two sources, as the diff that is drawn over a cell does. */
import { Chunk } from '@codemirror/merge';
import { Text } from '@codemirror/state';

import { DIFF_LIMITS } from './limits';

export function countHunks(from: string, to: string): number {
  return Chunk.build(textOf(from), textOf(to), DIFF_LIMITS).length;
}

/** Convert a source to a text. It gets a final line break; `hiddenEnd.ts` says why. */
function textOf(source: string): Text {
  return Text.of(`${source}\n`.split('\n'));
}
