/**
 * All asking in one notebook: a model for each cell that was asked in, and its views where
 * the cells are now.
 *
 * What must hold: a model belongs to a cell's id, a view to a cell's widget. A moved cell
 * is a new widget with the same id and gets its view back; a deleted one keeps its model,
 * for undo brings it back.
 */
import { Cell, MarkdownCell } from '@jupyterlab/cells';
import type { CodeEditor } from '@jupyterlab/codeeditor';
import type { NotebookPanel } from '@jupyterlab/notebook';
import type { IDisposable } from '@lumino/disposable';
import { Signal } from '@lumino/signaling';

import type { GenerationModel } from '../model/generation';
import type { IBranch } from '../../records/branch';
import { findCell } from '../../cells/notebookCell';
import { repairCellIds } from '../../cells/cellIds';
import { CellAsk } from './cellAsk';
import type { IPromptRowServices } from './promptRow';
import { fixRequest, noticeText } from './promptLabels';

export interface INotebookAsksOptions extends IPromptRowServices {
  panel: NotebookPanel;
  makeModel: (cellId: string) => GenerationModel;
  newEditor: CodeEditor.Factory;
  /** What was done could not be noted (yet), and the row that could say so is closed. */
  onUnsaved: (text: string) => void;
  /** An answer came for a cell that is gone. */
  onGone: (model: GenerationModel) => void;
}

export class NotebookAsks implements IDisposable {
  constructor(private readonly _options: INotebookAsksOptions) {
    const { panel } = _options;
    this._panel = panel;
    const notebook = panel.content;
    // The widgets of new cells are made by others who listen to the same signal.
    notebook.model?.cells.changed.connect(
      () => void Promise.resolve().then(() => this._sync()),
      this
    );
    notebook.activeCellChanged.connect(this._keepFocus, this);
    notebook.stateChanged.connect(this._keepFocus, this);
    panel.disposed.connect(this.dispose, this);
  }

  get isDisposed(): boolean {
    return this._disposed;
  }

  /** The asking in a cell, if there was any. */
  get(cell: Cell | null): GenerationModel | null {
    return (cell && this._models.get(cell.model.id)) ?? null;
  }

  /** Open the row of a cell; its next request continues from an older one. */
  branch(cell: Cell, branch: IBranch | null): void {
    this.open(cell);
    this.get(cell)?.branchFrom(branch);
  }

  /** Open the row of a cell, or go there if it is open. */
  open(cell: Cell, pickDataFrames = false): void {
    if (this._panel.content.model) {
      repairCellIds(this._panel.content.model);
    }
    const id = cell.model.id;
    let model = this._models.get(id);
    if (!model) {
      model = this._options.makeModel(id);
      model.changed.connect(this._onChanged, this);
      this._models.set(id, model);
    }
    model.open();
    const view = this._show(cell, model);
    if (pickDataFrames) {
      view.row.pickDataFrames(true);
    } else {
      view.row.focus();
    }
    void cell.ready.then(() =>
      view.row.node.scrollIntoView({ block: 'nearest' })
    );
  }

  /** Ask for a change that mends the error which the cell ended with. */
  fix(cell: Cell): void {
    this.open(cell);
    const model = this.get(cell);
    const error = model?.target.error();
    if (model && error) {
      void model.ask(fixRequest(error, this._options.trans));
    }
  }

  dispose(): void {
    if (this._disposed) {
      return;
    }
    this._disposed = true;
    Signal.clearData(this);
    this._views.forEach(view => view.dispose());
    this._models.forEach(model => model.dispose());
    this._views.clear();
    this._models.clear();
  }

  private _show(cell: Cell, model: GenerationModel): CellAsk {
    const id = cell.model.id;
    const known = this._views.get(id);
    if (known?.cell === cell && !known.isDisposed) {
      return known;
    }
    known?.dispose();
    const view = new CellAsk({ ...this._options, cell, model });
    this._views.set(id, view);
    return view;
  }

  private _sync(): void {
    if (this._disposed) {
      return;
    }
    for (const [id, model] of this._models) {
      const cell = findCell(this._panel, id);
      if (cell && model.state.phase !== 'idle') {
        this._show(cell, model);
      } else if (!cell) {
        this._views.get(id)?.dispose();
        this._views.delete(id);
      }
    }
  }

  private _onChanged(model: GenerationModel): void {
    const { phase, notice } = model.state;
    const id = model.target.cellId;
    if (phase === 'suggested' && !findCell(this._panel, id)) {
      if (!this._told.has(model)) {
        this._told.add(model);
        this._options.onGone(model);
      }
      return;
    }
    this._told.delete(model);
    if (phase !== 'idle') {
      return;
    }
    const view = this._views.get(id);
    if (view) {
      const hadFocus = view.hasFocus;
      this._views.delete(id);
      view.dispose();
      if (hadFocus) {
        this._returnTo(view.cell);
      }
    }
    if (notice === 'unsaved' || notice === 'unnoted') {
      this._options.onUnsaved(noticeText(model.state, this._options.trans));
    }
  }

  /** Back into the editor, where the person came from. */
  private _returnTo(cell: Cell): void {
    const notebook = this._panel.content;
    const index = notebook.widgets.indexOf(cell);
    if (index >= 0) {
      notebook.activeCellIndex = index;
      if (cell instanceof MarkdownCell && cell.rendered) {
        notebook.mode = 'command'; // To edit it would show its source again.
        notebook.activate();
        return;
      }
      notebook.mode = 'edit';
      cell.editor?.focus();
    }
  }

  /** An editor that a diff covers can't be typed in: the row can. */
  private _keepFocus(): void {
    const { activeCell, mode } = this._panel.content;
    const view = activeCell && this._views.get(activeCell.model?.id ?? '');
    if (mode === 'edit' && view?.covers && !view.hasFocus) {
      view.row.focus();
    }
  }

  private readonly _panel: NotebookPanel;
  private readonly _models = new Map<string, GenerationModel>();
  private readonly _views = new Map<string, CellAsk>();
  /** Those of whose answer a person was told that its cell is gone. */
  private readonly _told = new WeakSet<GenerationModel>();
  private _disposed = false;
}
