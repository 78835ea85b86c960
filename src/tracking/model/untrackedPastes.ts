/**
 * Remembers cells that were pasted from a watched notebook into a notebook without an AI turn. When
 * that notebook gets its first turn, they are recorded as copies.
 *
 * Invariants: nothing about a notebook is sent until it has an AI turn, and its cells are not read
 * unless some other notebook is watched.
 */
import type { YNotebook } from '@jupyter/ydoc';
import type { NotebookPanel } from '@jupyterlab/notebook';

import { isValidId } from '../../cells/cellIds';
import { ITransaction, Transactions } from '../../cells/transactions';
import { CellEvents, eventsOf } from './watch/events';
import type { ISource, Origins } from './watch/origins';

export class UntrackedPastes {
  /** @param _isActive Returns whether to remember pastes; false while the notebook is watched. */
  constructor(
    panel: NotebookPanel,
    private readonly _origins: Origins,
    private readonly _isActive: () => boolean
  ) {
    this._notebook = panel.context.model.sharedModel as YNotebook;
    this._self = { notebook: panel.content, notebookId: '', find: () => null };
    this._transactions = new Transactions(
      this._notebook,
      transaction => this._before(transaction),
      transaction => this._after(transaction)
    );
  }

  /** Return and forget the `copy` events of the pasted cells that still exist. */
  take(): CellEvents[] {
    const ids = new Set(this._notebook.cells.map(cell => cell.getId()));
    const pasted = [...this._pasted.values()].filter(({ cellId }) =>
      ids.has(cellId)
    );
    this._pasted.clear();
    return pasted;
  }

  dispose(): void {
    this._transactions.dispose();
  }

  private _before({ local }: ITransaction): void {
    this._idsBefore = null;
    if (local && this._origins.hasSources && this._isActive()) {
      this._origins.capture();
      this._idsBefore = new Set(this._notebook.cells.map(cell => cell.getId()));
    }
  }

  private _after({ changed }: ITransaction): void {
    const before = this._idsBefore;
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
        const [copy] = eventsOf(
          { kind: 'copy', id, from },
          '',
          states,
          'paste'
        );
        this._pasted.set(id, copy);
      }
    }
  }

  private readonly _notebook: YNotebook;
  private readonly _self: ISource;
  private readonly _transactions: Transactions;
  /** The cell ids before a transaction; null if the transaction is ignored. */
  private _idsBefore: ReadonlySet<string> | null = null;
  private readonly _pasted = new Map<string, CellEvents>();
}
