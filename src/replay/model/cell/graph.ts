/**
 * The graph of a cell's steps. The parent of a step is the step that it continues from. The list of
 * steps draws each branch in its own column, and a line from each step to its parent. All functions
 * here are pure.
 *
 * Invariants:
 * - Every list of steps has a graph, even if its data is invalid. A step counts as having no parent
 *   if its parent is missing, is a later step or is the step itself.
 * - Branches that would need more columns than `MAX_COLUMNS` are drawn in the last column.
 */

import type { Step } from '../../../api/types';
import { isRequestOf } from '../../../records/answers';
import type { IBranch } from '../../../records/branch';
import type { IHistory } from '../../../tokens';
import { firstLineOf, ICellInfo, type IReplaySubject } from '../activeCell';

export const MAX_COLUMNS = 4;

export function parentOf(step: Step): number | null {
  const { parent } = step;
  return parent !== null && parent >= 0 && parent < step.index ? parent : null;
}

export function isBranching(step: Step): boolean {
  const parent = parentOf(step);
  return parent !== null && parent !== step.index - 1;
}

/** Return the turn that a step's code comes from; null if there is none. */
export function findTurnId(steps: readonly Step[], shown: Step): number | null {
  let step: Step | undefined = shown;
  // Whether to look for the turn of `step.code`, or of the cell's source after the step. They
  // differ if the step's code was not applied, as with a rejected answer.
  let isOwnCode = true;
  while (step) {
    const isTurn = step.kind === 'turn' || step.kind === 'accept';
    if (isTurn && step.turnId !== undefined && (isOwnCode || step.applied)) {
      return step.turnId;
    }
    // A restore's code comes from the restored step, that of any other step from its parent.
    const { fromStep, index }: Step = step;
    isOwnCode = fromStep !== undefined && fromStep < index;
    step = steps[(isOwnCode ? fromStep : parentOf(step)) ?? -1];
  }
  return null;
}

/** Return the branch of a request that continues from a step; null without a turn. */
export function branchAt(steps: readonly Step[], shown: Step): IBranch | null {
  const turnId = findTurnId(steps, shown);
  const turn = steps.find(step => isRequestOf(step, turnId));
  return turnId === null ? null : { turnId, title: turn?.title ?? '' };
}

export function findOpenTurn(steps: readonly Step[]): Step | null {
  return steps.find(({ outcome }) => outcome === 'open') ?? null;
}

/** The part of the graph that is drawn in one row of the list. Columns are counted from 0. */
export interface IGraphRow {
  readonly column: number;
  /** The columns in which a line passes straight from the row above to the row below. */
  readonly passingColumns: readonly number[];
  readonly hasLineFromAbove: boolean;
  /** The columns in which lines from the dot arrive at the row below. */
  readonly columnsBelow: readonly number[];
}

export function buildGraph(steps: readonly Step[]): {
  rows: readonly IGraphRow[];
  columnCount: number;
} {
  const rows = steps.map(({ column }) => ({
    column: Math.max(0, Math.min(MAX_COLUMNS - 1, column)),
    passingColumns: [] as number[],
    hasLineFromAbove: false,
    columnsBelow: [] as number[]
  }));
  steps.forEach((step, index) => {
    const parent = parentOf({ ...step, index });
    if (parent === null) {
      return;
    }
    const { column } = rows[index];
    rows[index].hasLineFromAbove = true;
    if (!rows[parent].columnsBelow.includes(column)) {
      rows[parent].columnsBelow.push(column);
    }
    // A line that is already in this column leads to the parent, too.
    let row = index - 1;
    while (row > parent && !rows[row].passingColumns.includes(column)) {
      rows[row--].passingColumns.push(column);
    }
  });
  return { rows, columnCount: 1 + Math.max(0, ...rows.map(row => row.column)) };
}

export interface IRelative {
  readonly cellId: string;
  /** Null if the cell is no longer in the notebook. */
  readonly cell: ICellInfo | null;
  readonly firstLine: string;
}

/** Return the valid ids of a merge step's relatives: another program may have written them. */
export function relativesOf(step: Step): string[] {
  if (step.kind !== 'merge') {
    return [];
  }
  const { into, parents } = step.data ?? {};
  const ids: unknown[] = Array.isArray(parents) ? parents : [into];
  return ids.filter((id): id is string => typeof id === 'string' && id !== '');
}

export async function describeCells(
  { subject, history }: { subject: IReplaySubject; history: IHistory },
  ids: readonly string[]
): Promise<IRelative[]> {
  const cellById = new Map(subject.cells().map(cell => [cell.id, cell]));
  const { notebookId } = subject;
  const hasDeletedCell = ids.some(id => !cellById.has(id));
  const summaries =
    hasDeletedCell && notebookId !== null
      ? await history.api.sessions(notebookId).catch(() => [])
      : [];
  return ids.map(cellId => {
    const cell = cellById.get(cellId) ?? null;
    const summary = summaries.find(({ cellId: id }) => id === cellId);
    const firstLine = cell?.firstLine ?? firstLineOf(summary?.lastSource ?? '');
    return { cellId, cell, firstLine };
  });
}
