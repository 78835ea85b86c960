/** Decides whether a diff marks the changed words, and not only the lines. */
import { lineDiff } from './lineDiff';

/**
 * Whether the changed lines are similar enough to mark the changed words. In rewritten lines every
 * word would be marked.
 */
export function areSimilar(original: string, code: string): boolean {
  let total = 0;
  let changed = 0;
  for (const { fromA, toA, fromB, toB, changes } of lineDiff(original, code)
    .hunks) {
    total += toA - fromA + toB - fromB;
    for (const change of changes) {
      changed += change.toA - change.fromA + change.toB - change.fromB;
    }
  }
  return changed < total * 0.6;
}
