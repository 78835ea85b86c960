/**
 * When the words that changed are worth marking in a diff, and not only the lines.
 */
import { Chunk } from '@codemirror/merge';
import { Text } from '@codemirror/state';

import { DIFF_LIMITS } from './limits';

/**
 * Whether the changed lines are still like those of before, so that marking the changed
 * words helps. Of lines that were written anew, every word would be marked.
 */
export function areAlike(original: string, code: string): boolean {
  const before = Text.of(original.split('\n'));
  const after = Text.of(code.split('\n'));
  const chunks = Chunk.build(before, after, DIFF_LIMITS);
  let all = 0;
  let changed = 0;
  for (const chunk of chunks) {
    all += chunk.endA - chunk.fromA + chunk.endB - chunk.fromB;
    for (const change of chunk.changes) {
      changed += change.toA - change.fromA + change.toB - change.fromB;
    }
  }
  return changed < all * 0.6;
}
