import type { Step } from '../api/types';
import { foldRuns, findPosition } from './fold';
import { runStep, stepsOf } from '../replay/model/replay.fakes';

/** Build a cell's steps. Each function gets the steps before its own. */
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
const move = (steps: readonly Step[]): Step => ({
  ...runStep(steps),
  kind: 'move'
});

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

  it('folds a run even if a step in between left the code unchanged', () => {
    const shown = foldRuns(buildSteps(turn('a'), move, run, turn('b')));
    expect(shown[0].runs).toHaveLength(1);
    expect(shown.map(({ parent }) => parent)).toEqual([null, 0, 1]);
  });

  it('folds no run into an answer that was not accepted', () => {
    const open = { applied: false, before: 'a', outcome: 'open' as const };
    const steps = buildSteps(turn('a'), turn('b', open));
    const ran = { ...runStep(steps.slice(0, 1)), index: 2, parent: 1, seq: 3 };
    const shown = foldRuns([...steps, ran]);
    expect(shown.map(step => step.runs?.length)).toEqual([1, 0]);
  });

  it('keeps a run as a step if no step wrote its code', () => {
    const [first, again] = [runStep([]), { ...runStep([]), index: 1, seq: 2 }];
    const shown = foldRuns([first, again]);
    expect(shown).toHaveLength(1);
    expect(shown[0].runs).toHaveLength(2);
  });

  it('folds a cut and a paste at another position into one move', () => {
    const deleted = (after: unknown) => (steps: readonly Step[]) => ({
      ...runStep(steps),
      kind: 'delete' as const,
      data: { index: 1, after }
    });
    const restored = (after: unknown) => (steps: readonly Step[]) => ({
      ...runStep(steps),
      kind: 'undelete' as const,
      data: { index: 3, after }
    });
    const kinds = (...makers: Parameters<typeof buildSteps>) =>
      foldRuns(buildSteps(...makers)).map(({ kind }) => kind);
    const steps = buildSteps(
      turn('a'),
      deleted('x'),
      restored('y'),
      run,
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
    // An undo, or a record that another program wrote without a position.
    const both = ['turn', 'delete', 'undelete'];
    expect(kinds(turn('a'), deleted('x'), restored('x'))).toEqual(both);
    expect(kinds(turn('a'), deleted(undefined), restored(null))).toEqual(both);
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
