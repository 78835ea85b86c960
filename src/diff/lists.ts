import { diff } from '@codemirror/merge';

import { DIFF_LIMITS } from './limits';

/** If both lists together have more entries, all are returned as changed. */
const MAX_ENTRIES = 50_000;

/**
 * Return the changes between two lists. Each replaces the entries of `before` from `fromA` to `toA`
 * by those of `after` from `fromB` to `toB`. End indexes are exclusive.
 *
 * Each distinct entry becomes one character, so that CodeMirror's diff of texts can compare the
 * lists.
 */
export function listChanges(
  before: readonly string[],
  after: readonly string[]
): readonly { fromA: number; toA: number; fromB: number; toB: number }[] {
  if (before.length + after.length > MAX_ENTRIES) {
    return [{ fromA: 0, toA: before.length, fromB: 0, toB: after.length }];
  }
  const charByEntry = new Map<string, string>();
  const charOf = (entry: string) => {
    let char = charByEntry.get(entry);
    if (char === undefined) {
      // Skip the surrogates (U+D800 to U+DFFF): two of them can form a single character.
      const code = charByEntry.size + 1;
      char = String.fromCharCode(code < 0xd800 ? code : code + 0x800);
      charByEntry.set(entry, char);
    }
    return char;
  };
  return diff(
    before.map(charOf).join(''),
    after.map(charOf).join(''),
    DIFF_LIMITS
  );
}
