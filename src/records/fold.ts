/**
 * Folds the steps of a cell that the server sends into the steps that the sidebar shows: a run is
 * listed in the step whose code was run, and a cut followed by a paste becomes a move. Pure.
 *
 * Invariants: no run is lost; a run of code that no step contains is shown as a step of its own.
 * Blame, search and links refer to a step by its index among the server's steps; `findPosition`
 * maps that index to the position of the shown step.
 */
import type { Step } from '../api/types';

/**
 * A step that the sidebar shows, with its runs. `index`, `parent` and `fromStep` are positions
 * among the shown steps.
 */
export interface IShownStep extends Step {
  /** The index among the server's steps. */
  readonly serverIndex?: number;
  /** The runs of the step's code, oldest first. */
  readonly runs?: readonly Step[];
  /** The server's steps that were folded into this step, except runs. */
  readonly parts?: readonly Step[];
}

/** The cell's source after a step. */
export function sourceAfter(step: Step): string {
  return step.applied ? step.code : step.before;
}

/**
 * Fold the server's steps, in their order, into shown steps. A "row" is a shown step's position.
 */
export function foldRuns(steps: readonly Step[]): IShownStep[] {
  const shown: (IShownStep & { serverIndex: number; runs: Step[] })[] = [];
  /** For each of the server's steps: the row that shows it. */
  const rows: number[] = [];
  /** For each of the server's steps: the row that a step continuing from it gets as its parent. */
  const parentRows: number[] = [];
  for (const step of steps) {
    const serverIndex = rows.length;
    const cut = shown[shown.length - 1];
    if (cut?.serverIndex === serverIndex - 1 && isPasteOf(cut, step)) {
      rows.push(shown.length - 1);
      parentRows.push(shown.length - 1);
      shown[shown.length - 1] = toMove(cut, step);
      continue;
    }
    const row = step.kind === 'run' ? findRowOfRun(shown, step) : null;
    if (row === null) {
      rows.push(shown.length);
      parentRows.push(shown.length);
      shown.push({
        ...step,
        serverIndex,
        runs: step.kind === 'run' ? [step] : []
      });
    } else {
      rows.push(row);
      // A run doesn't change the code: a step that continues from the run gets the run's parent.
      parentRows.push(
        (step.parent === null ? null : parentRows[step.parent]) ?? row
      );
      shown[row].runs.push(step);
    }
  }
  return shown.map((step, index) => ({
    ...step,
    index,
    parent: step.parent === null ? null : (parentRows[step.parent] ?? null),
    ...(step.fromStep === undefined ? {} : { fromStep: rows[step.fromStep] })
  }));
}

/** The position of the shown step into which a matching server's step was folded; -1 if none is. */
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

/** Whether two steps are a cut and a paste: the deleted cell was restored at another position. */
function isPasteOf(cut: Step, paste: Step): boolean {
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

function toMove<T extends Step>(cut: T, paste: Step): T {
  const data = { from: cut.data?.index, to: paste.data?.index };
  const { timestamp, seq } = paste;
  return {
    ...cut,
    kind: 'move',
    event: 'move',
    timestamp,
    seq,
    data,
    parts: [cut, paste]
  };
}

/**
 * The row of the step that wrote the code of a run; null if there is none. Steps between it and the
 * run are allowed if they left that code unchanged.
 */
function findRowOfRun(shown: readonly Step[], run: Step): number | null {
  let match: number | null = null;
  for (let row = shown.length - 1; row >= 0; row--) {
    const step = shown[row];
    if (sourceAfter(step) !== run.code) {
      break;
    }
    if (step.applied && step.code === run.code) {
      match = row;
      if (step.before !== step.code) {
        break;
      }
    }
  }
  return match;
}
