/** Decide whether a diff marks only the changed lines, or also the changed words in them. */
import { lineDiff } from './lineDiff';

/**
 * Whether the changed lines of two texts are similar enough to mark the changed words in them. If
 * the lines were rewritten, nearly every word would be marked.
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
