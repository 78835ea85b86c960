/** The blame gutters of a notebook's cells, which a person turns on per cell. */
import type { Cell } from '@jupyterlab/cells';
import type { NotebookPanel } from '@jupyterlab/notebook';
import { Signal } from '@lumino/signaling';

import { BlameModel } from '../model/blame';
import type { IHistory, INotebookIdentity } from '../../tokens';
import { NotebookCell, findCell } from '../../cells/notebookCell';
import { CellBlame, ICellBlameOptions } from './cellBlame';

export interface INotebookBlameOptions extends ICellBlameOptions {
  readonly panel: NotebookPanel;
  readonly history: IHistory;
  readonly identity: INotebookIdentity;
}

export class NotebookBlame {
  constructor(private readonly _options: INotebookBlameOptions) {
    const { panel } = _options;
    // JupyterLab's own listeners of this signal create the widgets of new cells, and run first.
    panel.content.model?.cells.changed.connect(
      () => void Promise.resolve().then(() => this._sync()),
      this
    );
    panel.disposed.connect(this.dispose, this);
  }

  get(cell: Cell | null): CellBlame | null {
    return (cell && this._cells.get(cell.model.id)) ?? null;
  }

  /** Turn the gutter of a cell on or off; returns whether it is on. */
  toggle(cell: Cell): boolean {
    const { id } = cell.model;
    const existing = this._cells.get(id);
    if (existing) {
      existing.dispose();
      this._cells.delete(id);
      return false;
    }
    const { panel, history, identity, trans } = this._options;
    const target = new NotebookCell(panel, id, identity, trans);
    const model = new BlameModel(history, target);
    const blame = new CellBlame(id, model, this._options);
    this._cells.set(id, blame);
    void blame.attach(cell);
    return true;
  }

  dispose(): void {
    this._isDisposed = true;
    Signal.clearData(this);
    this._cells.forEach(blame => blame.dispose());
    this._cells.clear();
  }

  /** Attach the gutters to the cells' current widgets, because a moved cell has a new widget. */
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
