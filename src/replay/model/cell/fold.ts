/**
 * The steps of a cell as the sidebar shows them: a run is no step of its own but part of the step
 * whose code it ran, and a cell that was cut and pasted elsewhere was moved. Pure.
 *
 * What must hold: no run is lost; a run that follows no step with its code stays a step. The
 * places by which others name a step (blame, search, links) are the server's, and lead to the
 * step that holds it.
 */
import type { Step } from '../../../api/types';
import { after } from './graph';

/** A step with its runs. `index`, `parent` and `fromStep` count the steps that are shown. */
export interface IShownStep extends Step {
  /** Its place among all steps of the server. */
  readonly place?: number;
  /** The runs of its code, oldest first. */
  readonly runs?: readonly Step[];
  /** The steps of the server that this one stands for, beside its runs. */
  readonly parts?: readonly Step[];
}

export function foldRuns(steps: readonly Step[]): IShownStep[] {
  const shown: (IShownStep & { place: number; runs: Step[] })[] = [];
  /** For each step of the server the one that shows it, and the one that later steps follow. */
  const rows: number[] = [];
  const followed: number[] = [];
  for (const step of steps) {
    const at = rows.length;
    const cut = shown[shown.length - 1];
    if (cut?.place === at - 1 && isPasteOf(cut, step)) {
      rows.push(shown.length - 1);
      followed.push(shown.length - 1);
      shown[shown.length - 1] = movedBy(cut, step);
      continue;
    }
    const row = step.kind === 'run' ? rowOfRun(shown, step) : null;
    if (row === null) {
      rows.push(shown.length);
      followed.push(shown.length);
      shown.push({
        ...step,
        place: at,
        runs: step.kind === 'run' ? [step] : []
      });
    } else {
      rows.push(row);
      followed.push(
        (step.parent === null ? null : followed[step.parent]) ?? row
      );
      shown[row].runs.push(step);
    }
  }
  return shown.map((step, index) => ({
    ...step,
    index,
    parent: step.parent === null ? null : (followed[step.parent] ?? null),
    ...(step.fromStep === undefined ? {} : { fromStep: rows[step.fromStep] })
  }));
}

/** The position of the step that holds this one of the server; -1 if none does. */
export function positionOf(
  steps: readonly IShownStep[],
  isMeant: (step: Step, place: number) => boolean
): number {
  return steps.findIndex(
    step =>
      isMeant(step, step.place ?? step.index) ||
      step.runs?.some(run => isMeant(run, run.index)) ||
      step.parts?.some(part => isMeant(part, part.index))
  );
}

/** Whether a cell that was deleted came back at another place. */
function isPasteOf(cut: Step, paste: Step): boolean {
  const [from, to] = [cut.data?.after, paste.data?.after];
  const isKnown = (after: unknown) =>
    typeof after === 'string' || after === null;
  return (
    cut.kind === 'delete' &&
    paste.kind === 'undelete' &&
    paste.code === cut.code &&
    isKnown(from) &&
    isKnown(to) &&
    from !== to
  );
}

function movedBy<T extends Step>(cut: T, paste: Step): T {
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

/** The row whose code a run ran: the one that wrote it, for those after only left it as it was. */
function rowOfRun(shown: readonly Step[], run: Step): number | null {
  let found: number | null = null;
  for (let row = shown.length - 1; row >= 0; row--) {
    const step = shown[row];
    if (after(step) !== run.code) {
      break;
    }
    if (step.applied && step.code === run.code) {
      found = row;
      if (step.before !== step.code) {
        break;
      }
    }
  }
  return found;
}
