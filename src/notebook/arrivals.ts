/**
 * Cells that came from a watched notebook into one that is not watched yet, for no model was asked
 * in it so far: remembered until there is something to tell.
 *
 * What must hold: of a notebook without an AI turn nothing is told. As long as no other one is
 * watched nothing of it is read.
 */
import type { YNotebook } from '@jupyter/ydoc';
import type { NotebookPanel } from '@jupyterlab/notebook';
import type { IDisposable } from '@lumino/disposable';

import { isValidId } from './cellids';
import { Told, toldBy } from './watchevents';
import type { ISource, Origins } from './watchorigins';

interface ITransaction {
  readonly local: boolean;
  readonly changed: ReadonlyMap<unknown, unknown>;
}

export class Arrivals implements IDisposable {
  /** @param _isOpen Whether it is to be looked who comes: not where a watch does so. */
  constructor(
    panel: NotebookPanel,
    private readonly _origins: Origins,
    private readonly _isOpen: () => boolean
  ) {
    this._notebook = panel.context.model.sharedModel as YNotebook;
    this._self = { notebook: panel.content, notebookId: '', find: () => null };
    this._doc = this._notebook.ydoc as unknown as typeof this._doc;
    this._doc.on('beforeTransaction', this._before);
    this._doc.on('afterTransaction', this._after);
  }

  /** What is to be told of the cells that came and are still there. It is told once. */
  take(): Told[] {
    const ids = new Set(this._notebook.cells.map(cell => cell.getId()));
    const told = [...this._came.values()].filter(({ cellId }) =>
      ids.has(cellId)
    );
    this._came.clear();
    return told;
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  dispose(): void {
    if (!this._isDisposed) {
      this._isDisposed = true;
      this._doc.off('beforeTransaction', this._before);
      this._doc.off('afterTransaction', this._after);
    }
  }

  private readonly _before = ({ local }: ITransaction): void => {
    this._ids = null;
    if (local && this._origins.areThere && this._isOpen()) {
      this._origins.look();
      this._ids = new Set(this._notebook.cells.map(cell => cell.getId()));
    }
  };

  private readonly _after = ({ changed }: ITransaction): void => {
    const before = this._ids;
    if (!before || !changed.has(this._doc.getArray('cells'))) {
      return;
    }
    for (const cell of this._notebook.cells) {
      const id = cell.getId();
      if (before.has(id) || !isValidId(id)) {
        continue;
      }
      const state = { id, type: cell.cell_type, source: cell.getSource() };
      const from = this._origins.of(state, this._self, []);
      if (from) {
        const states = new Map([[id, state]]);
        const [told] = toldBy({ kind: 'copy', id, from }, '', states, 'paste');
        this._came.set(id, told);
      }
    }
  };

  private readonly _notebook: YNotebook;
  private readonly _self: ISource;
  private readonly _doc: {
    getArray(name: string): unknown;
    on(name: string, handler: (transaction: ITransaction) => void): void;
    off(name: string, handler: (transaction: ITransaction) => void): void;
  };
  /** The cells before a transaction; null where it is of no interest. */
  private _ids: ReadonlySet<string> | null = null;
  private readonly _came = new Map<string, Told>();
  private _isDisposed = false;
}
