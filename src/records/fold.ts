/**
 * Combines ("folds") a cell's steps, as the server sends them, into the steps that are shown. The
 * server says which steps are parts of others (`partOf`, see `replay/folding.py`): runs, changes of
 * a suggestion before it was accepted, a paste directly after a cut. All functions are pure.
 *
 * Invariants:
 * - No run is lost. If no step wrote the code that was run, the run is shown as a separate step.
 * - Blame, search and links refer to a step by its index in the server's list, which `findPosition`
 *   maps to a position among the shown steps.
 */
import type { Step } from '../api/types';

/**
 * A shown step, with its runs. `index`, `parent` and `fromStep` are positions among the shown steps.
 */
export interface IShownStep extends Step {
  /** The index in the server's list. */
  readonly serverIndex?: number;
  /** The runs of the step's code, oldest first. */
  readonly runs?: readonly Step[];
  /** The steps that were folded into this one, if they aren't runs: the first is the step itself. */
  readonly parts?: readonly Step[];
}

/** Return the cell's source after a step. */
export function sourceAfter(step: Step): string {
  return step.applied ? step.code : step.before;
}

/** The steps are ordered from oldest to newest. */
export function foldRuns(steps: readonly Step[]): IShownStep[] {
  const shown: (IShownStep & { serverIndex: number; runs: Step[] })[] = [];
  /** The shown step that contains the server's step `i` is at `positions[i]`. */
  const positions: number[] = [];
  /** A shown step that continues from the server's step `i` gets `parents[i]` as its `parent`. */
  const parents: number[] = [];
  steps.forEach((step, serverIndex) => {
    if (step.partOf === undefined) {
      positions.push(shown.length);
      parents.push(shown.length);
      const runs = step.kind === 'run' ? [step] : [];
      shown.push({ ...step, serverIndex, runs });
      return;
    }
    const position = positions[step.partOf];
    positions.push(position);
    // No shown step can have a part as its parent. A step that continues from it gets the part's own
    // parent or, if there is none, the step that shows the part.
    parents.push(
      (step.parent === null ? null : parents[step.parent]) ?? position
    );
    if (step.kind === 'run') {
      shown[position].runs.push(step);
    } else {
      shown[position] = withPart(shown[position], step);
    }
  });
  return shown.map((step, index) => ({
    ...step,
    index,
    parent: step.parent === null ? null : (parents[step.parent] ?? null),
    ...(step.fromStep !== undefined && { fromStep: positions[step.fromStep] })
  }));
}

/**
 * Return the position of the first shown step that contains a matching step; -1 if there is none.
 *
 * @param matches - Called with the server's steps and indexes.
 */
export function findPosition(
  steps: readonly IShownStep[],
  matches: (step: Step, serverIndex: number) => boolean
): number {
  return steps.findIndex(
    step =>
      matches(step, step.serverIndex ?? step.index) ||
      step.runs?.some(run => matches(run, run.index)) ||
      step.parts?.some(part => matches(part, part.index))
  );
}

/** Add a change of an accepted suggestion, or the paste that makes a cut a move. */
function withPart<T extends IShownStep>(step: T, part: Step): T {
  const parts = [...(step.parts ?? [step]), part];
  const { timestamp, seq, code } = part;
  if (part.kind !== 'undelete') {
    return { ...step, code, parts };
  }
  const data = { from: step.data?.index, to: part.data?.index };
  return { ...step, kind: 'move', event: 'move', timestamp, seq, data, parts };
}
