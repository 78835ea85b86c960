/**
 * Count the lines that a step added and removed, once per step.
 */
import type { Step } from '../../../api/types';
import { lineDiff } from '../../../diff/lineDiff';
import { baseCode } from '../../../labels/stepLabels';

export interface ILineChanges {
  readonly added: number;
  readonly removed: number;
}

const cache = new WeakMap<Step, ILineChanges>();

export function lineChanges(step: Step): ILineChanges {
  let changes = cache.get(step);
  if (!changes) {
    // An answer that failed before its code is not a suggestion to remove everything.
    const isFailed = step.outcome === 'error' || step.outcome === 'cancelled';
    const hasCode = !isFailed || step.code;
    changes = hasCode
      ? countChanges(baseCode(step), step.code)
      : { added: 0, removed: 0 };
    cache.set(step, changes);
  }
  return changes;
}

/** Count the lines added and removed between two texts. */
export function countChanges(before: string, code: string): ILineChanges {
  if (before === code) {
    return { added: 0, removed: 0 };
  }
  if (!before || !code) {
    return { added: lines(code).length, removed: lines(before).length };
  }
  const joined = (text: string) => lines(text).join('\n');
  const { a, b, hunks } = lineDiff(joined(before), joined(code));
  let added = 0;
  let removed = 0;
  for (const { fromA, toA, fromB, toB } of hunks) {
    removed += span(a, fromA, toA);
    added += span(b, fromB, toB);
  }
  return { added, removed };
}

function lines(text: string): string[] {
  return text ? text.split(/\r\n?|\n/) : [];
}

/** The number of lines in a range of whole lines. */
function span(text: string, from: number, to: number): number {
  return text.slice(from, to).split('\n').length - 1;
}
