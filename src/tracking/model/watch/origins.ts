/**
 * Finds the origin of a cell that was pasted, dragged or duplicated: the cell from which it was
 * copied.
 *
 * JupyterLab's clipboard contains copies with the ids of their originals. A paste deletes these ids,
 * so they are remembered before the notebook changes.
 *
 * Invariants:
 * - A new cell has the type and source that its origin has now, or had when it was copied.
 * - The origin of a pasted cell is in a watched notebook, that of a dragged cell in another one,
 *   with the same id, and that of a duplicated cell in the same one.
 */
import { Clipboard } from '@jupyterlab/apputils';
import type { ICell } from '@jupyterlab/nbformat';
import type { Notebook } from '@jupyterlab/notebook';

import type { ICellState, IOrigin } from '../lineage';
import { normalizeLineBreaks } from '../../../diff/lineBreaks';

const CELLS_MIME_TYPE = 'application/vnd.jupyter.cells';

export interface IOriginNotebook {
  readonly notebook: Notebook;
  readonly notebookId: string;
  /** Return a cell's state, or its last one if it was deleted; null if the id is unknown. */
  find(id: string): ICellState | null;
}

export class Origins {
  constructor(private readonly _notebooks: () => Iterable<IOriginNotebook>) {}

  get hasNotebooks(): boolean {
    return [...this._notebooks()].length > 0;
  }

  /**
   * Remember the ids of the cells on the clipboard, and of those that each notebook stores as last
   * copied in it, before a paste deletes them.
   */
  captureClipboard(): void {
    this._rememberIds(clipboardCells());
    for (const { notebook } of this._notebooks()) {
      this._rememberIds(copiedCells(notebook));
    }
  }

  /**
   * Null if the origin is unknown.
   *
   * @param target The notebook that contains the new cell.
   * @param neighbours The cells to search, in this order, for the original of a duplicated cell.
   */
  findOrigin(
    cell: ICellState,
    target: IOriginNotebook,
    neighbours: readonly ICellState[]
  ): IOrigin | null {
    return (
      this._findPasted(cell, target) ??
      this._findDragged(cell, target) ??
      findDuplicated(cell, target, neighbours)
    );
  }

  /** Find a copied cell with the same type and source. */
  private _findPasted(
    cell: ICellState,
    target: IOriginNotebook
  ): IOrigin | null {
    const clipboard = clipboardCells();
    const candidates = [...this._notebooks()];
    // First the notebook from which the clipboard was filled, then the target.
    const rank = (candidate: IOriginNotebook) =>
      copiedCells(candidate.notebook) === clipboard
        ? 0
        : candidate === target
          ? 1
          : 2;
    candidates.sort((a, b) => rank(a) - rank(b));
    for (const candidate of candidates) {
      for (const copied of copiedCells(candidate.notebook)) {
        const cellId = this._idByCopy.get(copied);
        if (cellId && isCopyOf(copied, cell) && candidate.find(cellId)) {
          return { notebookId: candidate.notebookId, cellId };
        }
      }
    }
    return null;
  }

  /** A cell dragged from another notebook has its original's id. */
  private _findDragged(
    cell: ICellState,
    target: IOriginNotebook
  ): IOrigin | null {
    for (const candidate of this._notebooks()) {
      const original = candidate !== target && candidate.find(cell.id);
      if (original && hasSameSource(original, cell)) {
        return { notebookId: candidate.notebookId, cellId: cell.id };
      }
    }
    return null;
  }

  private _rememberIds(cells: readonly ICell[]): void {
    for (const cell of cells) {
      if (typeof cell.id === 'string') {
        this._idByCopy.set(cell, cell.id);
      }
    }
  }

  /** The original's id for each copy, from which a paste deletes it. */
  private readonly _idByCopy = new WeakMap<ICell, string>();
}

/**
 * JupyterLab's "Duplicate cell" doesn't use the clipboard, so the first of the `neighbours` with the
 * same type and source is assumed to be the original, unless the cell is blank.
 */
function findDuplicated(
  cell: ICellState,
  target: IOriginNotebook,
  neighbours: readonly ICellState[]
): IOrigin | null {
  const original =
    cell.source.trim() && neighbours.find(other => hasSameSource(other, cell));
  return original
    ? { notebookId: target.notebookId, cellId: original.id }
    : null;
}

function clipboardCells(): readonly ICell[] {
  return toList(Clipboard.getInstance().getData(CELLS_MIME_TYPE));
}

/** The cells last copied or cut in a notebook, which JupyterLab stores in a private field. */
function copiedCells(notebook: Notebook): readonly ICell[] {
  return toList((notebook as unknown as { _localCopy?: unknown })._localCopy);
}

function toList(value: unknown): readonly ICell[] {
  return Array.isArray(value) ? value : [];
}

function isCopyOf(copied: ICell, cell: ICellState): boolean {
  const { source } = copied;
  const text = Array.isArray(source) ? source.join('') : source;
  return (
    copied.cell_type === cell.type && normalizeLineBreaks(text) === cell.source
  );
}

function hasSameSource(a: ICellState, b: ICellState): boolean {
  return a.type === b.type && a.source === b.source;
}
