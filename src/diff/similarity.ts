/** Decides whether a diff marks only the changed lines, or also the changed words in them. */
import { lineDiff } from './lineDiff';

/**
 * If at least this fraction of the characters in the changed lines differs, the lines count as
 * rewritten.
 */
const MAX_CHANGED_SHARE = 0.6;

/**
 * Return whether the changed lines of two texts are so similar that it helps to mark the changed
 * words. In lines that were rewritten, nearly every word would be marked.
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
  return changed < total * MAX_CHANGED_SHARE;
}
