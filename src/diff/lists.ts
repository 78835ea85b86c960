/** The difference between two lists. Pure. */
import { diff } from '@codemirror/merge';

import { DIFF_LIMITS } from './limits';

/** The maximum number of items to compare; in longer lists all items count as changed. */
const MAX_ITEMS = 50_000;

/** Compare two lists by mapping each distinct item to one character. */
export function listChanges(
  before: readonly string[],
  after: readonly string[]
): readonly { fromA: number; toA: number; fromB: number; toB: number }[] {
  if (before.length + after.length > MAX_ITEMS) {
    return [{ fromA: 0, toA: before.length, fromB: 0, toB: after.length }];
  }
  const codes = new Map<string, string>();
  const codeOf = (item: string) => {
    let char = codes.get(item);
    if (char === undefined) {
      // One UTF-16 unit per item, without the surrogates.
      const code = codes.size + 1;
      char = String.fromCharCode(code < 0xd800 ? code : code + 0x800);
      codes.set(item, char);
    }
    return char;
  };
  return diff(
    before.map(codeOf).join(''),
    after.map(codeOf).join(''),
    DIFF_LIMITS
  );
}
