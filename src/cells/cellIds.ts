/**
 * Cell ids that sessions can be kept under.
 *
 * What must hold:
 * - They are in the file once it is saved: JupyterLab leaves a notebook older than nbformat
 *   4.5 at 4.4, which has no cell ids, so it is made 4.5.
 * - Ids that nbformat allows and that are the cell's alone are never touched.
 * - A cell is changed in place (its widget, undo history and cursor stay) and without an undo
 *   step: bringing an unusable id back would help nobody.
 * - Colab writes no cell ids but its own, as `metadata.id`, and drops ours when it saves. Where
 *   JupyterLab had to make all ids up, Colab's are taken: so a history is found again after
 *   the notebook has been there.
 */
import type { ISharedCell, YNotebook } from '@jupyter/ydoc';
import type { INotebookModel } from '@jupyterlab/notebook';
import { UUID } from '@lumino/coreutils';

const ID = /^[A-Za-z0-9_-]{1,64}$/;
const MADE_UP = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** As much of a cell as is needed here; `repairedIds` is pure. */
interface ICellIds {
  readonly id: string;
  /** What Colab calls the cell, if it does. */
  readonly colab?: unknown;
}

/** Whether sessions can be kept under this id. */
export function isValidId(id: unknown): id is string {
  return typeof id === 'string' && ID.test(id);
}

/** The ids that cells should have, in their order. */
export function repairedIds(
  cells: readonly ICellIds[],
  makeId: () => string = UUID.uuid4
): string[] {
  const colab = cells.filter(cell => isValidId(cell.colab));
  const adopt =
    colab.every(cell => cell.id !== cell.colab && MADE_UP.test(cell.id)) &&
    new Set(colab.map(cell => cell.colab)).size === colab.length;
  const wanted = cells.map(cell =>
    adopt && isValidId(cell.colab) ? cell.colab : cell.id
  );
  const used = new Set<string>();
  return wanted.map(id => {
    const mended = isValidId(id) && !used.has(id) ? id : makeId();
    used.add(mended);
    return mended;
  });
}

/** Give the cells of a notebook usable, lasting ids; says whether any was changed. */
export function repairCellIds(model: INotebookModel): boolean {
  // A file may lack the minor version altogether.
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
  // The interface has no way to change an id, every implementation of it has a map.
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
