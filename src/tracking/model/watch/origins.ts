/**
 * Finds the origin of a cell that was pasted, dragged or duplicated: the cell it is a copy of.
 *
 * JupyterLab's clipboard contains copies of the cells. A paste deletes the ids of these copies, so
 * their ids are remembered before each change of the cell list.
 *
 * Invariant: a cell whose origin is uncertain gets no origin, and starts a new history.
 */
import { Clipboard } from '@jupyterlab/apputils';
import type { ICell } from '@jupyterlab/nbformat';
import type { Notebook } from '@jupyterlab/notebook';

import type { ICellState, IOrigin } from '../lineage';

const CELLS = 'application/vnd.jupyter.cells';

/** A notebook from which cells may be copied. */
export interface ISource {
  readonly notebook: Notebook;
  readonly notebookId: string;
  /** A current or deleted cell with its last source. */
  find(id: string): ICellState | null;
}

export class Origins {
  /** @param _sources Returns the watched notebooks. */
  constructor(private readonly _sources: () => Iterable<ISource>) {}

  /** Whether any notebook is watched, so that cells may have been copied from it. */
  get hasSources(): boolean {
    for (const _ of this._sources()) {
      return true;
    }
    return false;
  }

  /** Remember the ids of cells on the clipboards, before a paste deletes them. */
  capture(): void {
    this._remember(clipboardCells());
    for (const source of this._sources()) {
      this._remember(copiedCells(source.notebook));
    }
  }

  /**
   * The origin of a cell with a new id; null if it is unknown.
   *
   * @param target The notebook that contains the cell.
   * @param neighbours The cells around it that existed before: first the cells above, nearest
   * first, then the cells below.
   */
  of(
    cell: ICellState,
    target: ISource,
    neighbours: readonly ICellState[]
  ): IOrigin | null {
    return (
      this._pasted(cell, target) ??
      this._dragged(cell, target) ??
      duplicated(cell, target, neighbours)
    );
  }

  private _pasted(cell: ICellState, target: ISource): IOrigin | null {
    const clipboard = clipboardCells();
    const sources = [...this._sources()];
    // First the notebook that filled the clipboard, then the target.
    const rank = (source: ISource) =>
      copiedCells(source.notebook) === clipboard
        ? 0
        : source === target
          ? 1
          : 2;
    sources.sort((a, b) => rank(a) - rank(b));
    for (const source of sources) {
      for (const copied of copiedCells(source.notebook)) {
        const cellId = this._ids.get(copied);
        if (cellId && matches(copied, cell) && source.find(cellId)) {
          return { notebookId: source.notebookId, cellId };
        }
      }
    }
    return null;
  }

  /** Find the original of a dragged cell: a cell dragged into another notebook keeps its id. */
  private _dragged(cell: ICellState, target: ISource): IOrigin | null {
    for (const source of this._sources()) {
      const original = source !== target && source.find(cell.id);
      if (original && isSame(original, cell)) {
        return { notebookId: source.notebookId, cellId: cell.id };
      }
    }
    return null;
  }

  private _remember(cells: readonly ICell[]): void {
    for (const cell of cells) {
      if (typeof cell.id === 'string') {
        this._ids.set(cell, cell.id);
      }
    }
  }

  /** The ids that copies on the clipboard had before a paste deleted them. */
  private readonly _ids = new WeakMap<ICell, string>();
}

/**
 * Find the original of a duplicated cell: JupyterLab's "Duplicate cell" doesn't use the clipboard,
 * but the copy equals a cell near it.
 */
function duplicated(
  cell: ICellState,
  target: ISource,
  neighbours: readonly ICellState[]
): IOrigin | null {
  const original =
    cell.source.trim() && neighbours.find(other => isSame(other, cell));
  return original
    ? { notebookId: target.notebookId, cellId: original.id }
    : null;
}

function clipboardCells(): readonly ICell[] {
  const clipboard = Clipboard.getInstance();
  return listOf(clipboard.hasData(CELLS) ? clipboard.getData(CELLS) : null);
}

/** The cells last copied or cut in a notebook; JupyterLab stores them in a private field. */
function copiedCells(notebook: Notebook): readonly ICell[] {
  return listOf((notebook as unknown as { _localCopy?: unknown })._localCopy);
}

const NONE: readonly ICell[] = [];

function listOf(value: unknown): readonly ICell[] {
  return Array.isArray(value) ? value : NONE;
}

function matches(copied: ICell, cell: ICellState): boolean {
  const { source } = copied;
  const text = Array.isArray(source) ? source.join('') : source;
  return copied.cell_type === cell.type && text === cell.source;
}

function isSame(a: ICellState, b: ICellState): boolean {
  return a.type === b.type && a.source === b.source;
}
