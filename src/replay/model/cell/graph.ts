/**
 * How the steps of a cell hang together: which one each went on from, and how that is drawn as
 * lines beside the list. Pure.
 *
 * What must hold: it is total. A step whose parent is unknown, later than itself or itself
 * stands alone; lanes beyond those that are drawn share the last one.
 */
import type { Step } from '../../../api/types';
import type { IBranch } from '../../../records/branch';

/** More lanes than this side by side tell nothing. */
export const MAX_LANES = 4;

/** What the cell held after a step. */
export function after(step: Step): string {
  return step.applied ? step.code : step.before;
}

/** The step that this one went on from; null if there is none. */
export function parentOf(step: Step): number | null {
  const { parent } = step;
  return parent !== null && parent >= 0 && parent < step.index ? parent : null;
}

/** Whether the step went on from another one than the one before it. */
export function isBranching(step: Step): boolean {
  const parent = parentOf(step);
  return parent !== null && parent !== step.index - 1;
}

export function laneOf(step: Step): number {
  return Math.max(0, Math.min(MAX_LANES - 1, step.lane));
}

/**
 * The turn that the code of a step comes from: the request that goes on from it names this
 * one. Null where nobody was asked for it.
 */
export function turnOf(steps: readonly Step[], index: number): number | null {
  let at: number | null = index;
  // Whether the code of the step is meant, and not what the cell held after it.
  let isMeant = true;
  while (at !== null && steps[at]) {
    const step: Step = steps[at];
    const isTurn = step.kind === 'turn' || step.kind === 'accept';
    if (isTurn && step.turnId !== undefined && (isMeant || step.applied)) {
      return step.turnId;
    }
    const origin: number | undefined = step.fromStep;
    isMeant = origin !== undefined && origin < at;
    at = isMeant ? origin! : parentOf(step);
  }
  return null;
}

/** The request that the code of a step comes from, as the next request can continue from it. */
export function branchAt(
  steps: readonly Step[],
  index: number
): IBranch | null {
  const turnId = turnOf(steps, index);
  const turn = steps.find(
    step => step.kind === 'turn' && step.turnId === turnId
  );
  return turnId === null ? null : { turnId, title: turn?.title ?? '' };
}

/** The newest answer, if nobody has decided on it yet; null if there is none. */
export function openTurn(steps: readonly Step[]): Step | null {
  const last = [...steps].reverse().find(({ kind }) => kind === 'turn');
  const isOpen = last?.outcome === 'open' && last.turnId !== undefined;
  return isOpen ? last : null;
}

/** The lines beside one row of the list. Lanes are counted from 0. */
export interface IGraphRow {
  /** Where the dot is. */
  readonly lane: number;
  /** Lanes whose line goes through from the row above to the row below. */
  readonly through: readonly number[];
  /** Whether a line comes down to the dot. */
  readonly fromAbove: boolean;
  /** Lanes to which a line leads on from the dot. */
  readonly down: readonly number[];
}

/** The lines of all rows; the width of the drawing is `lanes`. */
export function graphOf(steps: readonly Step[]): {
  rows: readonly IGraphRow[];
  lanes: number;
} {
  const rows = steps.map(step => ({
    lane: laneOf(step),
    through: new Set<number>(),
    fromAbove: false,
    down: new Set<number>()
  }));
  steps.forEach((step, index) => {
    const parent = parentOf({ ...step, index });
    if (parent === null) {
      return;
    }
    const { lane } = rows[index];
    rows[index].fromAbove = true;
    rows[parent].down.add(lane);
    // A line that is there already goes on to the end of it.
    for (let at = index - 1; at > parent; at--) {
      if (rows[at].through.has(lane)) {
        break;
      }
      rows[at].through.add(lane);
    }
  });
  return {
    rows: rows.map(row => ({
      ...row,
      through: [...row.through],
      down: [...row.down]
    })),
    lanes: 1 + Math.max(0, ...rows.map(row => row.lane))
  };
}
