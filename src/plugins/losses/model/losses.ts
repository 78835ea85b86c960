/** Decides whether missing cells of a notebook are a loss, and brings them back. */
import type { ICell } from '@jupyterlab/nbformat';
import type { NotebookPanel } from '@jupyterlab/notebook';

import {
  applyOperations,
  type Operation,
  toInsertion
} from '../../../cells/operations';
import { runAsOwnWrite } from '../../../cells/ownWrites';

export interface ICellText {
  readonly id: string;
  readonly source: string;
}

/**
 * Return the cells of `before` that aren't in `after`. A cell whose text is in a new cell isn't
 * missing: some programs only give it another id.
 */
export function findMissing<T extends ICellText>(
  before: readonly T[],
  after: readonly ICellText[]
): T[] {
  const oldIds = new Set(before.map(({ id }) => id));
  const ids = new Set(after.map(({ id }) => id));
  const newCells = after.filter(({ id }) => !oldIds.has(id));
  const newTexts = newCells.map(({ source }) => source.trim());
  return before.filter(({ id, source }) => {
    const index = ids.has(id) ? -1 : newTexts.indexOf(source.trim());
    newTexts.splice(index, index < 0 ? 0 : 1);
    return !ids.has(id) && index < 0;
  });
}

/**
 * Return whether the missing cells are a loss: two cells with a text, or a third of them. If the
 * person may have wanted it, only more than half of them are.
 */
export function isLoss(
  missing: readonly ICellText[],
  before: readonly ICellText[],
  mayBeWanted: boolean
): boolean {
  const [count, total] = [missing, before].map(
    cells => cells.filter(({ source }) => source.trim()).length
  );
  return mayBeWanted
    ? count > 1 && count > total / 2
    : count > 1 || (count > 0 && count >= total / 3);
}

/** Insert missing cells, in one undo step, each below the cell that was above it in `before`. */
export function bringBack(
  panel: NotebookPanel,
  cells: ReadonlyMap<string, ICell>,
  before: readonly ICellText[]
): void {
  const { sharedModel } = panel.context.model;
  const present = new Set(sharedModel.cells.map(cell => cell.getId()));
  const operations: Operation[] = [];
  let after: string | null = null;
  for (const { id } of before) {
    const cell = cells.get(id);
    if (cell && !present.has(id)) {
      operations.push(toInsertion(cell, after));
    }
    if (cell || present.has(id)) {
      after = id;
    }
  }
  runAsOwnWrite(() => applyOperations(panel, operations));
}
