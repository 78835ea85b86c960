/**
 * Repairs cell ids, so that sessions can be stored under them.
 *
 * Invariants:
 * - The saved file contains the ids. Formats before nbformat 4.5 have none, and JupyterLab doesn't
 *   upgrade older notebooks, so `repairCellIds` does.
 * - A valid, unique id is not changed, except to restore an id of another tool.
 * - Google Colab, Databricks and Kaggle save only ids of their own, in the cells' metadata.
 *   JupyterLab then generates new cell ids, under which no histories would be found. If it generated
 *   the ids of all cells from the tool, and the tool's ids are all different, these replace them.
 *   `aiserver/notebooks/restored_ids.py` does the same when a notebook with histories is read.
 * - An id is changed in place, so that the cell's widget, undo history and cursor stay, and outside
 *   the undo history, because undoing it would restore an invalid id.
 */
import type { ISharedCell, YNotebook } from '@jupyter/ydoc';
import type { ICellModel } from '@jupyterlab/cells';
import type { INotebookModel } from '@jupyterlab/notebook';
import { UUID } from '@lumino/coreutils';

const VALID_ID = /^[A-Za-z0-9_-]{1,64}$/;
const GENERATED_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

interface ICellIds {
  readonly id: string;
  /** The id that another tool keeps in the cell's metadata. */
  readonly tool?: unknown;
}

/** Return whether sessions can be stored under this id. */
export function isValidId(id: unknown): id is string {
  return typeof id === 'string' && VALID_ID.test(id);
}

/** Return the ids that the cells should have, in their order. */
export function repairedIds(
  cells: readonly ICellIds[],
  createId: () => string = UUID.uuid4
): string[] {
  const toolCells = cells.filter(cell => isValidId(cell.tool));
  const shouldUseToolIds =
    toolCells.every(
      cell => cell.id !== cell.tool && GENERATED_ID.test(cell.id)
    ) && new Set(toolCells.map(cell => cell.tool)).size === toolCells.length;
  const preferredIds = cells.map(cell =>
    shouldUseToolIds && isValidId(cell.tool) ? cell.tool : cell.id
  );
  const usedIds = new Set<string>();
  return preferredIds.map(id => {
    const repairedId = isValidId(id) && !usedIds.has(id) ? id : createId();
    usedIds.add(repairedId);
    return repairedId;
  });
}

function toolId(cell: ICellModel): string | undefined {
  const databricks = cell.getMetadata('application/vnd.databricks.v1+cell') as
    { nuid?: unknown } | undefined;
  return [
    cell.getMetadata('id'),
    databricks?.nuid,
    cell.getMetadata('_cell_guid')
  ].find(isValidId);
}

/** Return whether any id was changed. */
export function repairCellIds(model: INotebookModel): boolean {
  // In a file without the minor version, `nbformatMinor` is undefined.
  if (model.nbformat === 4 && !(model.nbformatMinor >= 5)) {
    (model.sharedModel as YNotebook).nbformat_minor = 5;
  }
  const cells = [...model.cells];
  // If there are histories, the server has already compared these ids with theirs.
  const hasHistories = model.getMetadata('aiserver') !== undefined;
  const ids = repairedIds(
    cells.map(cell => ({
      id: cell.id,
      tool: hasHistories ? null : toolId(cell)
    }))
  );
  const hasChanges = cells.some((cell, index) => cell.id !== ids[index]);
  if (hasChanges) {
    (model.sharedModel as YNotebook).transact(() => {
      cells.forEach((cell, index) => setId(cell.sharedModel, ids[index]));
    }, false);
  }
  return hasChanges;
}

/**
 * Give cells that share an id different ids: after a cut, JupyterLab's “Duplicate Cells” creates
 * such cells. The original keeps the id, or else the first one.
 */
export function separateIds(
  notebook: YNotebook,
  isOriginal: (cell: ISharedCell) => boolean
): void {
  const cellsById = new Map<string, ISharedCell[]>();
  for (const cell of notebook.cells) {
    const id = cell.getId();
    cellsById.set(id, [...(cellsById.get(id) ?? []), cell]);
  }
  const copies = [...cellsById.values()].flatMap(cells => {
    const original = cells.find(isOriginal) ?? cells[0];
    return cells.filter(cell => cell !== original);
  });
  if (copies.length) {
    notebook.transact(
      () => copies.forEach(cell => setId(cell, UUID.uuid4())),
      false
    );
  }
}

function setId(cell: ISharedCell, id: string): void {
  // `ISharedCell` can't change the id, but all cells store it in a Yjs map.
  const { ymodel } = cell as unknown as { ymodel: Map<string, unknown> };
  if (ymodel.get('id') !== id) {
    ymodel.set('id', id);
  }
}
