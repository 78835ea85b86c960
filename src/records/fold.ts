/**
 * Combines ("folds") a cell's steps, as the server sends them, into the steps that are shown. A run
 * is shown inside the step that wrote the code which was run. A cut and the paste directly after it
 * are shown as one move. All functions here are pure.
 *
 * Invariants:
 * - No run is lost. If no step wrote the code that was run, the run is shown as a separate step.
 * - Blame, search and links refer to a step by its index in the server's list. `findPosition` maps
 *   this index to a position in the list of shown steps.
 */
import type { Step } from '../api/types';

/**
 * A step that is shown, with its runs. Its `index`, `parent` and `fromStep` are positions in the
 * list of shown steps.
 */
export interface IShownStep extends Step {
  /** The step's index in the server's list. */
  readonly serverIndex?: number;
  /** The runs of the step's code, oldest first. */
  readonly runs?: readonly Step[];
  /** Only for a move that was folded from two steps: its cut and its paste. */
  readonly parts?: readonly Step[];
}

/** Return the cell's source after a step. */
export function sourceAfter(step: Step): string {
  return step.applied ? step.code : step.before;
}

/** Fold the server's steps, which are ordered from oldest to newest, into shown steps. */
export function foldRuns(steps: readonly Step[]): IShownStep[] {
  const shown: (IShownStep & { serverIndex: number; runs: Step[] })[] = [];
  /** `positions[i]` is the position of the shown step that contains the server's step `i`. */
  const positions: number[] = [];
  /** A shown step that continues from the server's step `i` gets `parents[i]` as its `parent`. */
  const parents: number[] = [];
  for (const step of steps) {
    const serverIndex = positions.length;
    const previous = shown[shown.length - 1];
    if (
      previous?.serverIndex === serverIndex - 1 &&
      isCutAndPaste(previous, step)
    ) {
      positions.push(shown.length - 1);
      parents.push(shown.length - 1);
      shown[shown.length - 1] = toMove(previous, step);
      continue;
    }
    const position = step.kind === 'run' ? findStepOfRun(shown, step) : null;
    if (position === null) {
      positions.push(shown.length);
      parents.push(shown.length);
      shown.push({
        ...step,
        serverIndex,
        runs: step.kind === 'run' ? [step] : []
      });
    } else {
      positions.push(position);
      // The run is shown inside another step, so no shown step can have the run as its parent. A
      // step that continues from the run gets the run's own parent or, if there is none, the step
      // that shows the run.
      parents.push(
        (step.parent === null ? null : parents[step.parent]) ?? position
      );
      shown[position].runs.push(step);
    }
  }
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
 * @param matches - Is called with steps of the server and their indexes in the server's list.
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

/** Return whether `cut` deleted the cell, and `paste` restored it at another position. */
function isCutAndPaste(cut: Step, paste: Step): boolean {
  // `after` is the id of the cell above; null if the cell was the first one.
  const [from, to] = [cut.data?.after, paste.data?.after];
  const isRecorded = (after: unknown) =>
    typeof after === 'string' || after === null;
  return (
    cut.kind === 'delete' &&
    paste.kind === 'undelete' &&
    paste.code === cut.code &&
    isRecorded(from) &&
    isRecorded(to) &&
    from !== to
  );
}

/** Combine a cut and a paste into one step of kind `move`. */
function toMove<T extends Step>(cut: T, paste: Step): T {
  const data = { from: cut.data?.index, to: paste.data?.index };
  const { timestamp, seq } = paste;
  const parts = [cut, paste];
  return { ...cut, kind: 'move', event: 'move', timestamp, seq, data, parts };
}

/**
 * Return the position of the shown step that wrote the code which was run; null if there is none.
 * There may be steps between that step and the run, as long as they left the code unchanged.
 */
function findStepOfRun(shown: readonly Step[], run: Step): number | null {
  let match: number | null = null;
  for (let position = shown.length - 1; position >= 0; position--) {
    const step = shown[position];
    if (sourceAfter(step) !== run.code) {
      break;
    }
    if (step.applied && step.code === run.code) {
      match = position;
      if (step.before !== step.code) {
        break;
      }
    }
  }
  return match;
}
