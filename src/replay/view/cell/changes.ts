/** Count the lines that a step added and removed. The counts are cached. */
import type { Step } from '../../../api/types';
import {
  changedLines,
  countLines,
  ILineCount
} from '../../../diff/changedLines';
import { baseCode } from '../../../labels/stepLabels';

const cache = new WeakMap<Step, ILineCount>();

/** Return the numbers of lines that a step added and removed. */
export function lineChanges(step: Step): ILineCount {
  let changes = cache.get(step);
  if (!changes) {
    // If a request failed before the model returned code, the step changed nothing: its empty code
    // doesn't mean that all lines were removed.
    const hasFailed = step.outcome === 'error' || step.outcome === 'cancelled';
    const hasCode = !hasFailed || step.code;
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
  const oldLines = lines(before);
  const newLines = lines(code);
  return before && code
    ? countLines(changedLines(oldLines.join('\n'), newLines.join('\n')))
    : { added: newLines.length, removed: oldLines.length };
}
