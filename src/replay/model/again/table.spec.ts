import type { Step } from '../../../api/types';
import { runStep } from '../replay.fakes';
import { turnsOf } from './again.fakes';
import {
  IFindings,
  newFigures,
  originalFigures,
  storedRows,
  total
} from './table';

const FINDINGS: IFindings = {
  problems: new Map([[1, 2]]),
  runs: new Map([[3, { status: 'ok' }]])
};

/** Two requests, asked again as the turns 3 and 4 of another model. */
function askedAgain(more: Partial<Step> = {}): Step[] {
  const repeated = {
    outcome: 'repeated',
    applied: false,
    before: 'b'
  } as const;
  return turnsOf(
    { code: 'a', receipt: { inputTokens: 10, outputTokens: 5, cost: 0.5 } },
    { code: 'b' },
    {
      code: 'x',
      title: 'make a',
      base: '',
      parent: null,
      repeatsTurnId: 1,
      receipt: { inputTokens: 7, outputTokens: 3, totalMs: 900 },
      ...repeated
    },
    {
      code: 'y',
      title: 'make b',
      base: 'x',
      parent: 2,
      repeatsTurnId: 2,
      ...repeated,
      ...more
    }
  );
}

describe('the table of a branch that was asked again', () => {
  it.each([2, 3])('has all turns of the branch, from step %d', position => {
    const rows = storedRows(askedAgain(), position);
    expect(rows.map(({ turnId }) => turnId)).toEqual([3, 4]);
    expect(rows.map(({ request }) => request.turnId)).toEqual([1, 2]);
    expect(rows.map(({ isEdited }) => isEdited)).toEqual([false, false]);
  });

  it('leaves out turns that failed, and other steps have none', () => {
    const failed = askedAgain({ outcome: 'error' });
    expect(storedRows(failed, 3).map(({ turnId }) => turnId)).toEqual([3]);
    expect(storedRows(failed, 1)).toEqual([]);
    expect(storedRows([], 0)).toEqual([]);
  });

  it('marks a request that started from the person’s own code', () => {
    const steps = askedAgain();
    steps[1] = { ...steps[1], before: 'mine' };
    expect(storedRows(steps, 3)[1].isEdited).toBe(true);
  });

  it('has the figures of both answers, without what isn’t known', () => {
    const steps = askedAgain();
    const [row] = storedRows(steps, 2);
    expect(originalFigures(row, steps, FINDINGS)).toEqual({
      inputTokens: 10,
      outputTokens: 5,
      cost: 0.5,
      problems: 2,
      run: undefined
    });
    expect(newFigures(row, steps, FINDINGS)).toEqual({
      inputTokens: 7,
      outputTokens: 3,
      totalMs: 900,
      cost: undefined,
      problems: undefined,
      run: { status: 'ok' }
    });
  });

  it('shows the last run of the original answer', () => {
    const steps = askedAgain();
    const [row] = storedRows(steps, 2);
    const failed = {
      ...runStep(steps),
      outcome: 'error' as const,
      error: 'KeyError: x'
    };
    const shown = [{ ...steps[0], runs: [failed] }, ...steps.slice(1)];
    expect(originalFigures(row, shown, FINDINGS).run).toEqual({
      status: 'error',
      error: 'KeyError'
    });
  });

  it('says which sums have unknown parts (P47)', () => {
    expect(total([{ cost: 1, totalMs: 5 }, { totalMs: 6 }])).toEqual({
      cost: 1,
      totalMs: 11,
      partial: ['cost']
    });
    expect(total([{}, {}])).toEqual({});
  });
});
