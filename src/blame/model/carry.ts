/**
 * Who wrote the lines of a text, carried over to the text as it is now. Pure.
 *
 * What must hold: one entry a line, always; a line that stayed keeps its entry; one that is new
 * is not noted yet, so nothing says who wrote it (P40). Taken back, an edit leaves no trace: what is carried over
 * is always what the server said, never what was carried before.
 */
import { diff } from '@codemirror/merge';

import type { BlameLine } from '../../api/types';
import { DIFF_LIMITS } from '../../diff/limits';

/** A line that no step knows. */
export const UNNOTED: BlameLine = { author: 'unknown', step: null, seq: null };

/** Lines of their own that can be told apart; beyond it all are taken for changed. */
const MAX_LINES = 50_000;

export function carry(
  lines: readonly BlameLine[],
  source: string,
  now: string
): readonly BlameLine[] {
  const before = source.split('\n');
  const after = now.split('\n');
  const carried: BlameLine[] = [];
  let from = 0;
  for (const change of lineChanges(before, after)) {
    while (from < change.fromA) {
      carried.push(lines[from++] ?? UNNOTED);
    }
    for (let at = change.fromB; at < change.toB; at++) {
      carried.push(UNNOTED);
    }
    from = change.toA;
  }
  while (carried.length < after.length) {
    carried.push(lines[from++] ?? UNNOTED);
  }
  return carried;
}

/** The difference of two lists of lines: each line becomes one character of a text. */
function lineChanges(
  before: readonly string[],
  after: readonly string[]
): readonly { fromA: number; toA: number; fromB: number; toB: number }[] {
  const names = new Map<string, string>();
  const nameOf = (line: string) => {
    let name = names.get(line);
    if (name === undefined) {
      // Each is one unit of a text, and never half of a character.
      const code = names.size + 1;
      name = String.fromCharCode(code < 0xd800 ? code : code + 0x800);
      names.set(line, name);
    }
    return name;
  };
  if (before.length + after.length > MAX_LINES) {
    return [{ fromA: 0, toA: before.length, fromB: 0, toB: after.length }];
  }
  return diff(
    before.map(nameOf).join(''),
    after.map(nameOf).join(''),
    DIFF_LIMITS
  );
}
