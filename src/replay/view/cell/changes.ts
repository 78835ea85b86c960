/**
 * Count the lines that a step added and removed, once per step.
 */
import type { Step } from '../../../api/types';
import {
  changedLines,
  countLines,
  ILineCount
} from '../../../diff/changedLines';
import { baseCode } from '../../../labels/stepLabels';

const cache = new WeakMap<Step, ILineCount>();

export function lineChanges(step: Step): ILineCount {
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
export function countChanges(before: string, code: string): ILineCount {
  const lines = (text: string) => (text ? text.split(/\r\n?|\n/) : []);
  const [old, current] = [lines(before), lines(code)];
  return before && code
    ? countLines(changedLines(old.join('\n'), current.join('\n')))
    : { added: current.length, removed: old.length };
}
