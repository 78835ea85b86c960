/**
 * Remembers the cells that are pasted from a watched notebook into one that has no turn yet, to
 * record them as copies when it gets its first turn.
 *
 * Invariant: nothing is sent to the server. Pasted cells are looked for only while another notebook
 * is watched.
 */
import type { YNotebook } from '@jupyter/ydoc';
import type { NotebookPanel } from '@jupyterlab/notebook';

import { isValidId } from '../../cells/cellIds';
import { ITransaction, Transactions } from '../../cells/transactions';
import { CellEvents, eventsOf } from './watch/events';
import type { IOriginNotebook, Origins } from './watch/origins';
import { sourceOf } from '../../cells/source';

export class UntrackedPastes {
  /**
   * @param _isActive Returns whether to remember pastes: false while the notebook itself is watched
   * or tracking is off.
   */
  constructor(
    panel: NotebookPanel,
    private readonly _origins: Origins,
    private readonly _isActive: () => boolean
  ) {
    this._notebook = panel.context.model.sharedModel as YNotebook;
    this._target = {
      notebook: panel.content,
      notebookId: '',
      find: () => null
    };
    this._transactions = new Transactions(
      this._notebook,
      transaction => this._beforeTransaction(transaction),
      transaction => this._afterTransaction(transaction)
    );
  }

  /** Return the `copy` events of the pasted cells that still exist, and forget all. */
  takeEvents(): CellEvents[] {
    const ids = new Set(this._notebook.cells.map(cell => cell.getId()));
    const pasted = [...this._pastedById.values()].filter(({ cellId }) =>
      ids.has(cellId)
    );
    this._pastedById.clear();
    return pasted;
  }

  dispose(): void {
    this._transactions.dispose();
  }

  private _beforeTransaction({ local }: ITransaction): void {
    this._idsBefore = null;
    if (local && this._origins.hasNotebooks && this._isActive()) {
      this._origins.captureClipboard();
      this._idsBefore = new Set(this._notebook.cells.map(cell => cell.getId()));
    }
  }

  private _afterTransaction({ changed }: ITransaction): void {
    const idsBefore = this._idsBefore;
    if (!idsBefore || !changed.has(this._transactions.cells)) {
      return;
    }
    for (const cell of this._notebook.cells) {
      const id = cell.getId();
      if (idsBefore.has(id) || !isValidId(id)) {
        continue;
      }
      const state = { id, type: cell.cell_type, source: sourceOf(cell) };
      const from = this._origins.findOrigin(state, this._target, []);
      if (from) {
        const stateById = new Map([[id, state]]);
        // The notebook may have no id yet. A `copy` event doesn't contain it.
        const [copy] = eventsOf(
          { kind: 'copy', id, from },
          '',
          stateById,
          'paste'
        );
        this._pastedById.set(id, copy);
      }
    }
  }

  private readonly _notebook: YNotebook;
  /** This notebook, as the target of pastes; its cells are never origins. */
  private readonly _target: IOriginNotebook;
  private readonly _transactions: Transactions;
  /** The cell ids before a transaction; null if it is ignored. */
  private _idsBefore: ReadonlySet<string> | null = null;
  private readonly _pastedById = new Map<string, CellEvents>();
}
