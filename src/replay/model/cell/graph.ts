/**
 * The graph of a cell's steps: the parent of each step, and the lines that the list draws. Pure.
 *
 * Invariants: every input has a graph. A parent that is missing, later than the step or the step
 * itself counts as none; branches beyond the last column share it.
 */
import type { Step } from '../../../api/types';
import type { IBranch } from '../../../records/branch';

/** The largest number of columns that are drawn. */
export const MAX_COLUMNS = 4;

/** The index of the step that this one continues from; null if there is none. */
export function parentOf(step: Step): number | null {
  const { parent } = step;
  return parent !== null && parent >= 0 && parent < step.index ? parent : null;
}

/** Whether the step continues from another step than the previous one. */
export function isBranching(step: Step): boolean {
  const parent = parentOf(step);
  return parent !== null && parent !== step.index - 1;
}

/** The column in which a step is drawn, counted from 0. */
export function columnOf(step: Step): number {
  return Math.max(0, Math.min(MAX_COLUMNS - 1, step.lane));
}

/**
 * The id of the turn that a step's code comes from: the parent turn of a request that continues
 * from this step. Null if no model wrote the code.
 */
export function turnOf(steps: readonly Step[], index: number): number | null {
  let current: number | null = index;
  // Whether to look for the origin of the step's code; else for that of the source after it.
  let isCode = true;
  while (current !== null && steps[current]) {
    const step: Step = steps[current];
    const isTurn = step.kind === 'turn' || step.kind === 'accept';
    if (isTurn && step.turnId !== undefined && (isCode || step.applied)) {
      return step.turnId;
    }
    const origin: number | undefined = step.fromStep;
    isCode = origin !== undefined && origin < current;
    current = isCode ? origin! : parentOf(step);
  }
  return null;
}

/** The turn that a step's code comes from, as the branch that a request can continue. */
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

/** The newest turn, if it is neither accepted nor rejected; else null. */
export function openTurn(steps: readonly Step[]): Step | null {
  const last = [...steps].reverse().find(({ kind }) => kind === 'turn');
  const isOpen = last?.outcome === 'open' && last.turnId !== undefined;
  return isOpen ? last : null;
}

/** The lines of one row of the list. Columns are counted from 0. */
export interface IGraphRow {
  /** The column of the dot. */
  readonly column: number;
  /** Columns whose line passes from the row above to the row below. */
  readonly through: readonly number[];
  /** Whether a line leads from the row above to the dot. */
  readonly fromAbove: boolean;
  /** Columns to which a line leads from the dot. */
  readonly down: readonly number[];
}

/** The lines of all rows, and the number of columns. */
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
    // Stop where a line of this column exists: it reaches the parent already.
    for (let at = index - 1; at > parent; at--) {
      if (rows[at].through.includes(column)) {
        break;
      }
      rows[at].through.push(column);
    }
  });
  return { rows, columns: 1 + Math.max(0, ...rows.map(row => row.column)) };
}
