/**
 * Fold the server's steps of a cell into the steps that the sidebar shows: a run becomes part of
 * the step whose code it ran, and a cut followed by a paste becomes a move. Pure.
 *
 * Invariants: no run is lost; a run whose code no step contains stays a step. Blame, search and
 * links refer to steps by the server's index, and `findPosition` maps that index to the step that
 * contains it.
 */
import type { Step } from '../api/types';

/** A step with its runs. `index`, `parent` and `fromStep` are positions among the shown steps. */
export interface IShownStep extends Step {
  /** The index among the server's steps. */
  readonly serverIndex?: number;
  /** The runs of its code, oldest first. */
  readonly runs?: readonly Step[];
  /** The server's steps that were folded into this one, except runs. */
  readonly parts?: readonly Step[];
}

/** The cell's source after a step. */
export function sourceAfter(step: Step): string {
  return step.applied ? step.code : step.before;
}

export function foldRuns(steps: readonly Step[]): IShownStep[] {
  const shown: (IShownStep & { serverIndex: number; runs: Step[] })[] = [];
  /** For each of the server's steps: the row that shows it, and the parent row of its successors. */
  const rows: number[] = [];
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

/** The position of the shown step that contains a matching step of the server; -1 if none does. */
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

/** Whether a deleted cell was restored at another position. */
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

/** The row that wrote the code of a run; later rows only left that code unchanged. */
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
