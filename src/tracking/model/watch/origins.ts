/**
 * Finds the origins of pasted cells.
 *
 * JupyterLab's clipboard contains copies of the cells, but a paste deletes their ids, on the
 * clipboard too. So the ids are remembered before each step.
 *
 * Invariant: a cell without a certain origin has none, and starts a new history.
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

  /** Whether any notebook is watched, from which cells may come. */
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
   * @param neighbours The cells that existed before: those above the new one from near to far, then
   * those below.
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

  /** A cell that is dragged into another notebook keeps its id. */
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

  private readonly _ids = new WeakMap<ICell, string>();
}

/** "Duplicate cell" uses no clipboard: the copy equals an existing cell. */
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
