/**
 * Repairs cell ids, so that sessions can be stored under them.
 *
 * Invariants:
 * - The saved file contains the ids. JupyterLab doesn't upgrade older notebooks from nbformat 4.4,
 *   which has no cell ids, so this code upgrades them to 4.5.
 * - Valid, unique ids are never changed.
 * - An id is changed in place, so that the cell's widget, undo history and cursor stay. The change
 *   can't be undone, because undo must not restore an invalid id.
 * - Colab writes only its own cell ids, as `metadata.id`, and drops all other ids when it saves. If
 *   JupyterLab has generated all ids, Colab's ids replace them, so that the histories are found
 *   after the notebook was edited in Colab.
 */
import type { ISharedCell, YNotebook } from '@jupyter/ydoc';
import type { INotebookModel } from '@jupyterlab/notebook';
import { UUID } from '@lumino/coreutils';

const ID = /^[A-Za-z0-9_-]{1,64}$/;
const GENERATED_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The ids of a cell, as plain data for the pure function `repairedIds`. */
interface ICellIds {
  readonly id: string;
  /** The id that Colab gave the cell, if it gave one. */
  readonly colab?: unknown;
}

/** Whether sessions can be stored under this id. */
export function isValidId(id: unknown): id is string {
  return typeof id === 'string' && ID.test(id);
}

/** The ids that the cells should have, in the same order. */
export function repairedIds(
  cells: readonly ICellIds[],
  createId: () => string = UUID.uuid4
): string[] {
  const colab = cells.filter(cell => isValidId(cell.colab));
  const useColab =
    colab.every(cell => cell.id !== cell.colab && GENERATED_ID.test(cell.id)) &&
    new Set(colab.map(cell => cell.colab)).size === colab.length;
  const preferred = cells.map(cell =>
    useColab && isValidId(cell.colab) ? cell.colab : cell.id
  );
  const used = new Set<string>();
  return preferred.map(id => {
    const repaired = isValidId(id) && !used.has(id) ? id : createId();
    used.add(repaired);
    return repaired;
  });
}

/** Give the cells of a notebook valid, persistent ids. Return whether any id was changed. */
export function repairCellIds(model: INotebookModel): boolean {
  // A file may lack the minor version.
  if (model.nbformat === 4 && !(model.nbformatMinor >= 5)) {
    (model.sharedModel as YNotebook).nbformat_minor = 5;
  }
  const cells = [...model.cells];
  const ids = repairedIds(
    cells.map(cell => ({ id: cell.id, colab: cell.getMetadata('id') }))
  );
  const changed = cells.filter((cell, index) => cell.id !== ids[index]);
  if (changed.length) {
    (model.sharedModel as YNotebook).transact(() => {
      cells.forEach((cell, index) => setId(cell.sharedModel, ids[index]));
    }, false);
  }
  return changed.length > 0;
}

function setId(cell: ISharedCell, id: string): void {
  // The interface can't change an id, but every implementation stores it in a Yjs map.
  const { ymodel } = cell as unknown as {
    ymodel: {
      get(key: string): unknown;
      set(key: string, value: string): void;
    };
  };
  if (ymodel.get('id') !== id) {
    ymodel.set('id', id);
  }
}
