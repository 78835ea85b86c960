/** Which cells of a notebook show who wrote their lines: off until a person turns it on. */
import type { Cell } from '@jupyterlab/cells';
import type { NotebookPanel } from '@jupyterlab/notebook';
import { IDisposable } from '@lumino/disposable';
import { Signal } from '@lumino/signaling';

import { BlameModel } from '../model/blame';
import type { IHistory, INotebookIdentity } from '../../tokens';
import { findCell } from '../../cells/notebookCell';
import { CellBlame, ICellBlameOptions } from './cellBlame';

export interface INotebookBlameOptions extends ICellBlameOptions {
  readonly panel: NotebookPanel;
  readonly history: IHistory;
  readonly identity: INotebookIdentity;
}

export class NotebookBlame implements IDisposable {
  constructor(private readonly _options: INotebookBlameOptions) {
    const { panel } = _options;
    // The widgets of new cells are made by others who listen to the same signal.
    panel.content.model?.cells.changed.connect(
      () => void Promise.resolve().then(() => this._sync()),
      this
    );
    panel.disposed.connect(this.dispose, this);
  }

  get(cell: Cell | null): CellBlame | null {
    return (cell && this._cells.get(cell.model.id)) ?? null;
  }

  /** Turn it on or off in a cell; whether it is on now. */
  toggle(cell: Cell): boolean {
    const { id } = cell.model;
    const known = this._cells.get(id);
    if (known) {
      known.dispose();
      this._cells.delete(id);
      return false;
    }
    const { panel, history, identity } = this._options;
    const model = new BlameModel(history, {
      key: () => {
        const notebookId = identity.get(panel);
        return notebookId === null ? null : { notebookId, cellId: id };
      },
      source: () => findCell(panel, id)?.model.sharedModel.getSource() ?? null
    });
    const blame = new CellBlame(id, model, this._options);
    this._cells.set(id, blame);
    void blame.attach(cell);
    return true;
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  dispose(): void {
    if (!this._isDisposed) {
      this._isDisposed = true;
      Signal.clearData(this);
      this._cells.forEach(blame => blame.dispose());
      this._cells.clear();
    }
  }

  /** A cell that was moved is another widget; one that is gone shows nothing. */
  private _sync(): void {
    if (this._isDisposed || this._options.panel.isDisposed) {
      return;
    }
    for (const [id, blame] of this._cells) {
      const cell = findCell(this._options.panel, id);
      if (cell) {
        void blame.attach(cell);
      }
    }
  }

  private readonly _cells = new Map<string, CellBlame>();
  private _isDisposed = false;
}
