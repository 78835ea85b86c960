import type { Step } from '../api/types';
import { foldRuns, findPosition } from './fold';
import { runStep, stepsOf } from '../replay/model/replay.fakes';

/** Each function gets the steps before its own. */
function buildSteps(...makers: ((steps: readonly Step[]) => Step)[]): Step[] {
  const steps: Step[] = [];
  for (const make of makers) {
    const index = steps.length;
    steps.push({ ...make(steps), index, seq: index + 1 });
  }
  return steps;
}

const turn =
  (code: string, more: Partial<Step> = {}) =>
  (steps: readonly Step[]): Step => ({
    ...stepsOf(code)[0],
    before: steps[steps.length - 1]?.code ?? '',
    parent: steps.length ? steps.length - 1 : null,
    ...more
  });
const run = (steps: readonly Step[]) => runStep(steps);
const partOf =
  (index: number, more: Partial<Step> = {}) =>
  (steps: readonly Step[]): Step => ({
    ...runStep(steps),
    partOf: index,
    ...more
  });
const move = partOf(0, { kind: 'move', partOf: undefined });

describe('foldRuns', () => {
  it('folds runs into the step whose code they ran, and renumbers the steps', () => {
    const steps = buildSteps(
      turn('a'),
      run,
      run,
      turn('b'),
      run,
      turn('a', { kind: 'restore', fromStep: 1 })
    );
    const shown = foldRuns(steps);
    expect(shown.map(({ code, index }) => [index, code])).toEqual([
      [0, 'a'],
      [1, 'b'],
      [2, 'a']
    ]);
    const runs = shown.map(step => step.runs?.map(({ index }) => index));
    expect(runs).toEqual([[1, 2], [4], []]);
    expect(shown.map(({ parent }) => parent)).toEqual([null, 0, 1]);
    expect(shown[2].fromStep).toBe(0);
  });

  it('lets the step after a run continue from the step before the run', () => {
    const shown = foldRuns(buildSteps(turn('a'), move, partOf(0), turn('b')));
    expect(shown[0].runs).toHaveLength(1);
    expect(shown.map(({ parent }) => parent)).toEqual([null, 0, 1]);
  });

  it('shows a run as a step if it is no part of one, with the runs after it', () => {
    const shown = foldRuns(buildSteps(run, run));
    expect(shown.map(({ runs }) => runs?.length)).toEqual([2]);
  });

  it('folds a cut and its paste into one move', () => {
    const steps = buildSteps(
      turn('a'),
      partOf(0, { kind: 'delete', partOf: undefined, data: { index: 1 } }),
      partOf(1, { kind: 'undelete', data: { index: 3 } }),
      partOf(0),
      turn('b')
    );
    const shown = foldRuns(steps);
    expect(shown.map(({ kind }) => kind)).toEqual(['turn', 'move', 'turn']);
    expect(shown[1].data).toEqual({ from: 1, to: 3 });
    expect(shown.map(({ parent }) => parent)).toEqual([null, 0, 1]);
    expect(shown[0].runs).toHaveLength(1);
    const at = [1, 2].map(place =>
      findPosition(shown, (_, is) => is === place)
    );
    expect(at).toEqual([1, 1]);
  });

  it('folds the changes of a suggestion and the run after them into its step', () => {
    const edit = { kind: 'edit', event: 'accept' } as const;
    const steps = buildSteps(
      turn('prise'),
      partOf(0, { ...edit, code: 'price', author: 'program' }),
      partOf(0, { ...edit, code: 'cost' }),
      partOf(0),
      turn('b')
    );
    const shown = foldRuns(steps);
    expect(shown.map(({ code }) => code)).toEqual(['cost', 'b']);
    const [{ parts, runs, seq }] = shown;
    expect(parts?.map(({ code }) => code)).toEqual(['prise', 'price', 'cost']);
    expect([runs?.length, seq, shown[1].parent]).toEqual([1, 1, 0]);
    expect(findPosition(shown, (_, index) => index === 2)).toBe(0);
  });

  it('finds the position of a run: that of the step whose code it ran', () => {
    const shown = foldRuns(buildSteps(turn('a'), run, turn('b'), run));
    const places = [0, 1, 2, 3, 4].map(at =>
      findPosition(shown, (_, place) => place === at)
    );
    expect(places).toEqual([0, 0, 1, 1, -1]);
    expect(findPosition(shown, ({ seq }) => seq === 4)).toBe(1);
  });
});
