/** Counts the lines that a step added and removed. */
import type { Step } from '../../../api/types';
import { countLineChanges, ILineCount } from '../../../diff/changedLines';
import { baseCode } from '../../../labels/stepLabels';

const countCache = new WeakMap<Step, ILineCount>();

/** Return the numbers of lines that a step added and removed, from a cache if possible. */
export function countStepChanges(step: Step): ILineCount {
  let count = countCache.get(step);
  if (!count) {
    // A failed request without code changed nothing.
    const hasFailed = step.outcome === 'error' || step.outcome === 'cancelled';
    const hasCode = !hasFailed || step.code;
    count = hasCode
      ? countLineChanges(baseCode(step), step.code)
      : { added: 0, removed: 0 };
    countCache.set(step, count);
  }
  return count;
}
