/** Decides whether a diff marks the changed words, and not only the lines. */
import { Chunk } from '@codemirror/merge';
import { Text } from '@codemirror/state';

import { DIFF_LIMITS } from './limits';

/**
 * Whether the changed lines are similar enough to mark the changed words. In rewritten lines every
 * word would be marked.
 */
export function areSimilar(original: string, code: string): boolean {
  const before = Text.of(original.split('\n'));
  const after = Text.of(code.split('\n'));
  const chunks = Chunk.build(before, after, DIFF_LIMITS);
  let total = 0;
  let changed = 0;
  for (const chunk of chunks) {
    total += chunk.endA - chunk.fromA + chunk.endB - chunk.fromB;
    for (const change of chunk.changes) {
      changed += change.toA - change.fromA + change.toB - change.fromB;
    }
  }
  return changed < total * 0.6;
}
