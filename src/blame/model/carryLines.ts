/**
 * Carries the contributors of a source's lines over to its edited text. Pure.
 *
 * Invariants: the result has exactly one entry per line. Unchanged lines keep their entry; new
 * lines are unrecorded, with an unknown contributor (P40). Undoing an edit restores its entries,
 * because the input is always the server's result and never an earlier output.
 */
import { diff } from '@codemirror/merge';

import type { BlameLine } from '../../api/types';
import { DIFF_LIMITS } from '../../diff/limits';

/** The entry of a line that no step has recorded. */
export const UNRECORDED: BlameLine = {
  author: 'unknown',
  step: null,
  seq: null
};

/** The maximum number of lines to compare; in longer texts all lines count as changed. */
const MAX_LINES = 50_000;

export function carryLines(
  lines: readonly BlameLine[],
  source: string,
  current: string
): readonly BlameLine[] {
  const before = source.split('\n');
  const after = current.split('\n');
  const result: BlameLine[] = [];
  let from = 0;
  for (const change of lineChanges(before, after)) {
    while (from < change.fromA) {
      result.push(lines[from++] ?? UNRECORDED);
    }
    for (let at = change.fromB; at < change.toB; at++) {
      result.push(UNRECORDED);
    }
    from = change.toA;
  }
  while (result.length < after.length) {
    result.push(lines[from++] ?? UNRECORDED);
  }
  return result;
}

/** Compare two lists of lines by mapping each distinct line to one character. */
function lineChanges(
  before: readonly string[],
  after: readonly string[]
): readonly { fromA: number; toA: number; fromB: number; toB: number }[] {
  const codes = new Map<string, string>();
  const codeOf = (line: string) => {
    let char = codes.get(line);
    if (char === undefined) {
      // One UTF-16 unit per line, without the surrogates.
      const code = codes.size + 1;
      char = String.fromCharCode(code < 0xd800 ? code : code + 0x800);
      codes.set(line, char);
    }
    return char;
  };
  if (before.length + after.length > MAX_LINES) {
    return [{ fromA: 0, toA: before.length, fromB: 0, toB: after.length }];
  }
  return diff(
    before.map(codeOf).join(''),
    after.map(codeOf).join(''),
    DIFF_LIMITS
  );
}
