import { diff } from '@codemirror/merge';

import { DIFF_LIMITS } from './limits';

/** If the two lists together have more entries than this, all entries are returned as changed. */
const MAX_ENTRIES = 50_000;

/**
 * Compare two lists, and return the changes. Each change replaces the entries of `before` from
 * `fromA` to `toA` by the entries of `after` from `fromB` to `toB`. End indexes are exclusive.
 *
 * Each distinct entry is encoded as one character, so that CodeMirror's diff of texts can compare
 * the lists.
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
      // Skip the surrogates (U+D800 to U+DFFF), because two of them can form a single character.
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
