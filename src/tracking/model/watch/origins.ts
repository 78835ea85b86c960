/**
 * Where pasted cells came from.
 *
 * JupyterLab's clipboard holds copies of the cells as they were; when they are pasted their ids
 * are taken away, on the clipboard too. So before each step it is looked which ids are there.
 *
 * What must hold: a cell whose origin is not known for sure has none; it only begins anew.
 */
import { Clipboard } from '@jupyterlab/apputils';
import type { ICell } from '@jupyterlab/nbformat';
import type { Notebook } from '@jupyterlab/notebook';

import type { ICellState, IOrigin } from '../lineage';

const CELLS = 'application/vnd.jupyter.cells';

/** A notebook that cells may have been copied in. */
export interface ISource {
  readonly notebook: Notebook;
  readonly notebookId: string;
  /** A cell that is there, or was; what it holds, or held last. */
  find(id: string): ICellState | null;
}

export class Origins {
  /** @param _sources The notebooks that are watched. */
  constructor(private readonly _sources: () => Iterable<ISource>) {}

  /** Whether there is any notebook that a cell's origin could be known of. */
  get areThere(): boolean {
    for (const _ of this._sources()) {
      return true;
    }
    return false;
  }

  /** Note which cells are on a clipboard, before one of them may be pasted. */
  look(): void {
    this._remember(onClipboard());
    for (const source of this._sources()) {
      this._remember(copiedIn(source.notebook));
    }
  }

  /**
   * The origin of a cell that came with a new id.
   *
   * @param target The notebook that it came into.
   * @param above The cells of that notebook before it came, those above it first, the nearest first.
   */
  of(
    cell: ICellState,
    target: ISource,
    above: readonly ICellState[]
  ): IOrigin | null {
    return (
      this._pasted(cell, target) ??
      this._dragged(cell, target) ??
      duplicated(cell, target, above)
    );
  }

  private _pasted(cell: ICellState, target: ISource): IOrigin | null {
    const clipboard = onClipboard();
    const sources = [...this._sources()];
    // Who copied what is on the clipboard; after that the one that it came into.
    const rank = (source: ISource) =>
      copiedIn(source.notebook) === clipboard ? 0 : source === target ? 1 : 2;
    sources.sort((one, other) => rank(one) - rank(other));
    for (const source of sources) {
      for (const copied of copiedIn(source.notebook)) {
        const cellId = this._ids.get(copied);
        if (cellId && isLike(copied, cell) && source.find(cellId)) {
          return { notebookId: source.notebookId, cellId };
        }
      }
    }
    return null;
  }

  /** A cell that is dragged into another notebook keeps its id there. */
  private _dragged(cell: ICellState, target: ISource): IOrigin | null {
    for (const source of this._sources()) {
      const found = source !== target && source.find(cell.id);
      if (found && isSame(found, cell)) {
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

/** "Duplicate cell" uses no clipboard: the copy is like a cell that was there. */
function duplicated(
  cell: ICellState,
  target: ISource,
  above: readonly ICellState[]
): IOrigin | null {
  const found = cell.source.trim() && above.find(one => isSame(one, cell));
  return found ? { notebookId: target.notebookId, cellId: found.id } : null;
}

function onClipboard(): readonly ICell[] {
  const clipboard = Clipboard.getInstance();
  return listOf(clipboard.hasData(CELLS) ? clipboard.getData(CELLS) : null);
}

/** What was last copied or cut in a notebook, which keeps that to itself. */
function copiedIn(notebook: Notebook): readonly ICell[] {
  return listOf((notebook as unknown as { _localCopy?: unknown })._localCopy);
}

const NONE: readonly ICell[] = [];

function listOf(value: unknown): readonly ICell[] {
  return Array.isArray(value) ? value : NONE;
}

function isLike(copied: ICell, cell: ICellState): boolean {
  const { source } = copied;
  const text = Array.isArray(source) ? source.join('') : source;
  return copied.cell_type === cell.type && text === cell.source;
}

function isSame(one: ICellState, other: ICellState): boolean {
  return one.type === other.type && one.source === other.source;
}
