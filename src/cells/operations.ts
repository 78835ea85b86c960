/**
 * Applies operations to an open notebook: those of an agent, and those that bring cells back.
 *
 * Invariants:
 * - All operations are applied, or none. A cell is changed only if its source is still the one for
 *   which the operation was made, so a person may be typing in it.
 * - One undo reverts all of them. They are one transaction, so that nobody sees half of them.
 * - The active cell stays active, as long as it is in the notebook, and the focus where it is.
 * - The answer says what is really there, even if a listener of the notebook has failed.
 */
import type { YBaseCell, YNotebook } from '@jupyter/ydoc';
import type { ICell } from '@jupyterlab/nbformat';
import type { NotebookPanel } from '@jupyterlab/notebook';

import type { CellType } from '../api/types';
import { updateSource } from './applySource';
import { toCellType } from './context';
import { isReadOnly } from './readOnly';
import { digestOf } from './source';

/**
 * A change of the cells. `base` is the SHA-256 of the source that the cell must still have, and
 * `after` the cell above; null for the top. Only this page sets `content`: the inserted cell's
 * metadata and outputs, in the notebook format.
 */
export type Operation =
  | { op: 'edit'; cell: string; base: string; source: string }
  | {
      op: 'insert';
      cell: string;
      type: CellType;
      source: string;
      after: string | null;
      content?: object;
    }
  | { op: 'delete'; cell: string; base: string }
  | { op: 'move'; cell: string; after: string | null };

/** Return the operation that inserts a cell of the notebook format with its metadata and outputs. */
export function toInsertion(content: ICell, after: string | null): Operation {
  return {
    op: 'insert',
    cell: content.id as string,
    type: toCellType(content.cell_type),
    source: [content.source].flat().join(''),
    ...{ after, content }
  };
}

/** The reason for which nothing was changed; with `stale`, a source is null if there is no such cell. */
export interface IRefusal {
  readonly type: 'refused';
  readonly code: 'stale' | 'read_only' | 'busy' | 'gone';
  readonly cells: readonly { id: string; source: string | null }[];
}

/** The cells that operations have changed, and the order of all cells, after them. */
export interface IApplied {
  readonly type: 'done';
  readonly cells: readonly { id: string; type: string; source: string }[];
  readonly order: readonly string[];
}

type SharedCell = YBaseCell<never>;

function sharedNotebook(panel: NotebookPanel): YNotebook {
  return panel.context.model.sharedModel as YNotebook;
}

function cellsById(notebook: YNotebook): Map<string, SharedCell> {
  const cells = notebook.cells as unknown as SharedCell[];
  return new Map(cells.map(cell => [cell.getId(), cell]));
}

/** Return why the operations can't be applied; null if they can. */
export function findRefusal(
  panel: NotebookPanel,
  operations: readonly Operation[]
): IRefusal | null {
  const cells = cellsById(sharedNotebook(panel));
  const refuse = (
    code: IRefusal['code'],
    ids: readonly string[]
  ): IRefusal => ({
    type: 'refused',
    code,
    cells: ids.map(id => ({ id, source: cells.get(id)?.getSource() ?? null }))
  });
  if (isReadOnly(panel)) {
    return refuse('read_only', []);
  }
  const stale = staleIds(cells, operations);
  if (stale.length) {
    return refuse('stale', stale);
  }
  const locked = operations.filter(({ cell: id, op }) =>
    isLocked(cells.get(id), op)
  );
  return locked.length
    ? refuse(
        'read_only',
        locked.map(({ cell }) => cell)
      )
    : null;
}

/** Return the ids of the cells that have changed since, or that should (not) be there. */
function staleIds(
  cells: ReadonlyMap<string, SharedCell>,
  operations: readonly Operation[]
): string[] {
  const stale = new Set<string>();
  const ids = new Set(cells.keys());
  for (const operation of operations) {
    const { cell: id, op } = operation;
    const cell = cells.get(id);
    if (ids.has(id) === (op === 'insert') || isChanged(cell, operation)) {
      stale.add(id);
    }
    if (op === 'insert') {
      ids.add(id);
    } else if (op === 'delete') {
      ids.delete(id);
    }
    const above = 'after' in operation ? operation.after : null;
    if (above !== null && !ids.has(above)) {
      stale.add(above);
    }
  }
  return [...stale];
}

function isChanged(
  cell: SharedCell | undefined,
  operation: Operation
): boolean {
  return !!cell && 'base' in operation && digestOf(cell) !== operation.base;
}

/** Return whether the cell's metadata protect it; an insertion replaces a cell with its id. */
function isLocked(cell: SharedCell | undefined, op: Operation['op']): boolean {
  const key = op === 'delete' ? 'deletable' : 'editable';
  return op !== 'move' && cell?.getMetadata(key) === false;
}

/**
 * Apply operations for which `findRefusal` has returned null, and return what is there then.
 *
 * @param undoScope - Whether an edit of one cell alone is reverted by the undo of the cell's editor.
 * All else, and with `notebook` this too, is reverted by the notebook's undo.
 */
export function applyOperations(
  panel: NotebookPanel,
  operations: readonly Operation[],
  undoScope: 'cell' | 'notebook' = 'cell'
): IApplied {
  const { content } = panel;
  const notebook = sharedNotebook(panel);
  const activeId = content.activeCell?.model.id;
  const [first] = operations;
  const isEdit =
    undoScope === 'cell' && operations.length === 1 && first.op === 'edit';
  const scope = (isEdit && cellsById(notebook).get(first.cell)) || notebook;
  scope.undoManager?.stopCapturing();
  try {
    scope.transact(() => {
      const list = new CellList(notebook);
      operations.forEach(operation => list.apply(operation));
    });
  } catch (reason) {
    console.error(reason); // The cells have changed all the same.
  }
  scope.undoManager?.stopCapturing();
  const index = content.widgets.findIndex(({ model }) => model.id === activeId);
  // Without the second condition, JupyterLab would focus the cell's editor.
  if (index >= 0 && index !== content.activeCellIndex) {
    content.activeCellIndex = index;
  }
  const changed = new Set(operations.map(({ cell }) => cell));
  const cells = [...cellsById(notebook)];
  return {
    type: 'done',
    cells: cells
      .filter(([id]) => changed.has(id))
      .map(([id, cell]) => ({
        id,
        type: cell.cell_type as string,
        source: cell.getSource()
      })),
    order: cells.map(([id]) => id)
  };
}

/** The cells of a notebook during a transaction, in which the notebook itself shows the old list. */
class CellList {
  constructor(private readonly _notebook: YNotebook) {
    this._cells = [...cellsById(_notebook)];
  }

  apply(operation: Operation): void {
    const { cell: id } = operation;
    switch (operation.op) {
      case 'edit':
        updateSource(this._cells[this._indexOf(id)][1], operation.source);
        break;
      case 'insert': {
        const { type, source, after, content } = operation;
        const cell = { metadata: {}, ...content, id, cell_type: type, source };
        this._insert(after, cell);
        break;
      }
      case 'delete':
        this._remove(id);
        break;
      case 'move': {
        const content = this._cells[this._indexOf(id)][1].toJSON();
        this._remove(id);
        this._insert(operation.after, { ...(content as object), id });
        break;
      }
    }
  }

  private _insert(after: string | null, content: object): void {
    const index = after === null ? 0 : this._indexOf(after) + 1;
    const cell = this._notebook.insertCell(index, content as never);
    const shared = cell as unknown as SharedCell;
    this._cells.splice(index, 0, [(content as { id: string }).id, shared]);
  }

  private _remove(id: string): void {
    const index = this._indexOf(id);
    this._notebook.deleteCell(index);
    this._cells.splice(index, 1);
  }

  private _indexOf(id: string): number {
    return this._cells.findIndex(([cellId]) => cellId === id);
  }

  private readonly _cells: [string, SharedCell][];
}
