/** Turns the blame gutters of a notebook's cells on and off. Each cell has its own gutter. */
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
    // Wait until JupyterLab's own listeners of this signal have created the widgets of new cells.
    panel.content.model?.cells.changed.connect(
      () => void Promise.resolve().then(() => this._attachAll()),
      this
    );
    panel.disposed.connect(this.dispose, this);
  }

  get(cell: Cell): CellBlame | undefined {
    return this._blameByCellId.get(cell.model.id);
  }

  toggle(cell: Cell): void {
    const { id } = cell.model;
    const existingBlame = this._blameByCellId.get(id);
    if (existingBlame) {
      existingBlame.dispose();
      this._blameByCellId.delete(id);
      return;
    }
    const { panel, history, identity, trans } = this._options;
    const notebookCell = new NotebookCell(panel, id, identity, trans);
    const model = new BlameModel(history, notebookCell);
    const blame = new CellBlame(id, model, this._options);
    this._blameByCellId.set(id, blame);
    void blame.attach(cell);
  }

  dispose(): void {
    this._isDisposed = true;
    Signal.clearData(this);
    this._blameByCellId.forEach(blame => blame.dispose());
    this._blameByCellId.clear();
  }

  /** Attach each gutter to its cell's current widget, because a moved cell has a new widget. */
  private _attachAll(): void {
    if (this._isDisposed || this._options.panel.isDisposed) {
      return;
    }
    for (const [id, blame] of this._blameByCellId) {
      const cell = findCell(this._options.panel, id);
      if (cell) {
        void blame.attach(cell);
      }
    }
  }

  private readonly _blameByCellId = new Map<string, CellBlame>();
  private _isDisposed = false;
}
