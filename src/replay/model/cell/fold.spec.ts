import type { Step } from '../../../api/types';
import { foldRuns, findPosition } from './fold';
import { runStep, stepsOf } from '../replay.fakes';

/** `make` continues the life of a cell by one step. */
function lifeOf(...makers: ((steps: readonly Step[]) => Step)[]): Step[] {
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
  it('puts runs into the step that they ran, and counts the rest anew', () => {
    const steps = lifeOf(
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

  it('passes over steps that left the code as it was, without a branch', () => {
    const shown = foldRuns(lifeOf(turn('a'), move, run, turn('b')));
    expect(shown[0].runs).toHaveLength(1);
    expect(shown.map(({ parent }) => parent)).toEqual([null, 0, 1]);
  });

  it('passes over an answer that nobody has accepted', () => {
    const open = { applied: false, before: 'a', outcome: 'open' as const };
    const steps = lifeOf(turn('a'), turn('b', open));
    const ran = { ...runStep(steps.slice(0, 1)), index: 2, parent: 1, seq: 3 };
    const shown = foldRuns([...steps, ran]);
    expect(shown.map(step => step.runs?.length)).toEqual([1, 0]);
  });

  it('keeps a run of what no step wrote as a step', () => {
    const [first, again] = [runStep([]), { ...runStep([]), index: 1, seq: 2 }];
    const shown = foldRuns([first, again]);
    expect(shown).toHaveLength(1);
    expect(shown[0].runs).toHaveLength(2);
  });

  it('joins a cut and a paste elsewhere to one move', () => {
    const gone = (after: unknown) => (steps: readonly Step[]) => ({
      ...runStep(steps),
      kind: 'delete' as const,
      data: { index: 1, after }
    });
    const back = (after: unknown) => (steps: readonly Step[]) => ({
      ...runStep(steps),
      kind: 'undelete' as const,
      data: { index: 3, after }
    });
    const kinds = (...makers: Parameters<typeof lifeOf>) =>
      foldRuns(lifeOf(...makers)).map(({ kind }) => kind);
    const steps = lifeOf(turn('a'), gone('x'), back('y'), run, turn('b'));
    const shown = foldRuns(steps);
    expect(shown.map(({ kind }) => kind)).toEqual(['turn', 'move', 'turn']);
    expect(shown[1].data).toEqual({ from: 1, to: 3 });
    expect(shown.map(({ parent }) => parent)).toEqual([null, 0, 1]);
    expect(shown[0].runs).toHaveLength(1);
    const at = [1, 2].map(place =>
      findPosition(shown, (_, is) => is === place)
    );
    expect(at).toEqual([1, 1]);
    // An undo, or a record of another program that does not say where.
    const both = ['turn', 'delete', 'undelete'];
    expect(kinds(turn('a'), gone('x'), back('x'))).toEqual(both);
    expect(kinds(turn('a'), gone(undefined), back(null))).toEqual(both);
  });

  it('leads from the place and the seq of a run to the step that it ran', () => {
    const shown = foldRuns(lifeOf(turn('a'), run, turn('b'), run));
    const places = [0, 1, 2, 3, 4].map(at =>
      findPosition(shown, (_, place) => place === at)
    );
    expect(places).toEqual([0, 0, 1, 1, -1]);
    expect(findPosition(shown, ({ seq }) => seq === 4)).toBe(1);
  });
});
