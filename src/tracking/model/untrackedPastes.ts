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

import { isValidId } from '../../cells/cellIds';
import { ITransaction, Transactions } from '../../cells/transactions';
import { Told, toldBy } from './watch/events';
import type { ISource, Origins } from './watch/origins';

export class Arrivals implements IDisposable {
  /** @param _isOpen Whether it is to be looked who comes: not where a watch does so. */
  constructor(
    panel: NotebookPanel,
    private readonly _origins: Origins,
    private readonly _isOpen: () => boolean
  ) {
    this._notebook = panel.context.model.sharedModel as YNotebook;
    this._self = { notebook: panel.content, notebookId: '', find: () => null };
    this._transactions = new Transactions(
      this._notebook,
      transaction => this._before(transaction),
      transaction => this._after(transaction)
    );
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
    return this._transactions.isDisposed;
  }

  dispose(): void {
    this._transactions.dispose();
  }

  private _before({ local }: ITransaction): void {
    this._ids = null;
    if (local && this._origins.areThere && this._isOpen()) {
      this._origins.look();
      this._ids = new Set(this._notebook.cells.map(cell => cell.getId()));
    }
  }

  private _after({ changed }: ITransaction): void {
    const before = this._ids;
    if (!before || !changed.has(this._transactions.cells)) {
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
  }

  private readonly _notebook: YNotebook;
  private readonly _self: ISource;
  private readonly _transactions: Transactions;
  /** The cells before a transaction; null where it is of no interest. */
  private _ids: ReadonlySet<string> | null = null;
  private readonly _came = new Map<string, Told>();
}
