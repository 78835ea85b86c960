/**
 * How many lines a step added and took away. Worked out once per step.
 */
import type { Text } from '@codemirror/state';

import type { Step } from '../../../api/types';
import { lineDiff } from '../../../diff/lineDiff';
import { comparedWith } from '../stepLabels';

export interface ILineChanges {
  readonly added: number;
  readonly removed: number;
}

const known = new WeakMap<Step, ILineChanges>();

export function lineChanges(step: Step): ILineChanges {
  let changes = known.get(step);
  if (!changes) {
    // An answer that failed before its code did not propose to take everything away.
    const failed = step.outcome === 'error' || step.outcome === 'cancelled';
    const proposed = !failed || step.code;
    changes = proposed
      ? countChanges(comparedWith(step), step.code)
      : { added: 0, removed: 0 };
    known.set(step, changes);
  }
  return changes;
}

/** The same for any two texts. */
export function countChanges(before: string, code: string): ILineChanges {
  if (before === code) {
    return { added: 0, removed: 0 };
  }
  if (!before || !code) {
    return { added: lines(code).length, removed: lines(before).length };
  }
  const joined = (text: string) => lines(text).join('\n');
  const { a, b, stretches } = lineDiff(joined(before), joined(code));
  let added = 0;
  let removed = 0;
  for (const { fromA, toA, fromB, toB } of stretches) {
    removed += span(a, fromA, toA);
    added += span(b, fromB, toB);
  }
  return { added, removed };
}

function lines(text: string): string[] {
  return text ? text.split(/\r\n?|\n/) : [];
}

/** How many lines a stretch covers; its end is one past that of its last line. */
function span(doc: Text, from: number, to: number): number {
  return from === to
    ? 0
    : doc.lineAt(Math.min(to - 1, doc.length)).number -
        doc.lineAt(from).number +
        1;
}
