/**
 * The graph of a cell's steps: the parent of each step, and the lines between the steps in the
 * list. All functions here are pure.
 *
 * Invariants: every list of steps has a graph. A step counts as having no parent if its parent is
 * missing, is a later step or is the step itself. Branches that would need more columns than
 * `MAX_COLUMNS` are drawn in the last column.
 */
import type { Step } from '../../../api/types';
import type { IBranch } from '../../../records/branch';

/** The largest number of columns that are drawn. */
export const MAX_COLUMNS = 4;

/** Return the index of the step that `step` continues from; null if there is none. */
export function parentOf(step: Step): number | null {
  const { parent } = step;
  return parent !== null && parent >= 0 && parent < step.index ? parent : null;
}

/** Whether the step does not continue from the step right before it, but from an earlier step. */
export function isBranching(step: Step): boolean {
  const parent = parentOf(step);
  return parent !== null && parent !== step.index - 1;
}

/** Return the column in which a step is drawn, counted from 0. */
export function columnOf(step: Step): number {
  return Math.max(0, Math.min(MAX_COLUMNS - 1, step.lane));
}

/**
 * Return the id of the turn that a step's code comes from; null if no model wrote the code. A
 * request that continues from the step gets this turn as its parent.
 */
export function turnOf(steps: readonly Step[], index: number): number | null {
  let current: number | null = index;
  // Whether to look for the origin of the step's own code, or else of the cell's source after the
  // step. The two differ for a turn whose code was not written into the cell.
  let isOwnCode = true;
  while (current !== null && steps[current]) {
    const step: Step = steps[current];
    const isTurn = step.kind === 'turn' || step.kind === 'accept';
    if (isTurn && step.turnId !== undefined && (isOwnCode || step.applied)) {
      return step.turnId;
    }
    const origin: number | undefined = step.fromStep;
    isOwnCode = origin !== undefined && origin < current;
    current = isOwnCode ? origin! : parentOf(step);
  }
  return null;
}

/** Return the branch that a request continues if it is made at a step; null if it has no turn. */
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

/** Return the newest turn if it is neither accepted nor rejected, else null. */
export function openTurn(steps: readonly Step[]): Step | null {
  const newest = [...steps].reverse().find(({ kind }) => kind === 'turn');
  const isOpen = newest?.outcome === 'open' && newest.turnId !== undefined;
  return isOpen ? newest : null;
}

/** The lines in one row of the list of steps. Columns are counted from 0. */
export interface IGraphRow {
  /** The column of the dot that stands for the row's step. */
  readonly column: number;
  /** Columns whose line passes from the row above to the row below. */
  readonly through: readonly number[];
  /** Whether a line leads from the row above to the dot. */
  readonly fromAbove: boolean;
  /** Columns of the row below to which a line leads from the dot. */
  readonly down: readonly number[];
}

/** Compute the lines of all rows, and the number of columns. */
export function graphOf(steps: readonly Step[]): {
  rows: readonly IGraphRow[];
  columns: number;
} {
  const rows = steps.map(step => ({
    column: columnOf(step),
    through: [] as number[],
    fromAbove: false,
    down: [] as number[]
  }));
  steps.forEach((step, index) => {
    const parent = parentOf({ ...step, index });
    if (parent === null) {
      return;
    }
    const { column } = rows[index];
    rows[index].fromAbove = true;
    if (!rows[parent].down.includes(column)) {
      rows[parent].down.push(column);
    }
    // Stop at a row that has a line in this column: that line leads to the parent already.
    for (let between = index - 1; between > parent; between--) {
      if (rows[between].through.includes(column)) {
        break;
      }
      rows[between].through.push(column);
    }
  });
  return { rows, columns: 1 + Math.max(0, ...rows.map(row => row.column)) };
}
