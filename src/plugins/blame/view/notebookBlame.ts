/** Turns the blame gutters of a notebook's cells on and off. Each cell has its own gutter. */
import { Compartment, StateEffect } from '@codemirror/state';
import type { EditorView } from '@codemirror/view';
import type { Cell } from '@jupyterlab/cells';
import { CodeMirrorEditor } from '@jupyterlab/codemirror';
import type { NotebookPanel } from '@jupyterlab/notebook';
import { Signal } from '@lumino/signaling';

import type { BlameLine } from '../../../api/types';
import { findCell, NotebookCell } from '../../../cells/notebookCell';
import type { IHistory, INotebookIdentity } from '../../../tokens';
import { BlameModel } from '../model/blame';
import { blameProblem, IBlameLocale } from './blameLabels';
import { blameAtCursor, blameGutter, setBlame, setProblem } from './gutter';

interface INotebookBlameOptions extends ICellBlameOptions {
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

interface ICellBlameOptions extends IBlameLocale {
  readonly showStep: (cellId: string, line: BlameLine) => void;
}

/**
 * The compartment for the gutter in each editor. It can't be removed, and is empty while the gutter
 * is off.
 */
const compartments = new WeakMap<EditorView, Compartment>();

class CellBlame {
  constructor(
    readonly cellId: string,
    private readonly _model: BlameModel,
    private readonly _options: ICellBlameOptions
  ) {
    _model.stateChanged.connect(this._updateView, this);
    void _model.load();
  }

  get lineAtCursor(): BlameLine | null {
    return this._view && blameAtCursor(this._view);
  }

  /** Move the gutter from the cell's previous widget to `cell`, the cell's current widget. */
  async attach(cell: Cell): Promise<void> {
    if (this._cell === cell) {
      return;
    }
    this._detach();
    this._cell = cell;
    await cell.ready;
    // While waiting, the cell may have got another widget or the gutter may have been turned off.
    if (this._cell !== cell || cell.isDisposed || this._isDisposed) {
      return;
    }
    const { editor } = cell;
    if (!(editor instanceof CodeMirrorEditor)) {
      return;
    }
    const view = (this._view = editor.editor);
    const gutter = blameGutter(this._options, line =>
      this._options.showStep(this.cellId, line)
    );
    const existingCompartment = compartments.get(view);
    const compartment = existingCompartment ?? new Compartment();
    compartments.set(view, compartment);
    view.dispatch({
      effects: existingCompartment
        ? compartment.reconfigure(gutter)
        : StateEffect.appendConfig.of(compartment.of(gutter))
    });
    this._updateView();
  }

  dispose(): void {
    this._isDisposed = true;
    this._detach();
    this._model.dispose();
  }

  private _detach(): void {
    const { _view: view, _cell: cell } = this;
    this._view = this._cell = null;
    if (view && cell && !cell.isDisposed) {
      view.dispatch({ effects: compartments.get(view)!.reconfigure([]) });
    }
  }

  private _updateView(): void {
    const { result, failure } = this._model;
    const view = this._view;
    if (!view || !this._cell || this._cell.isDisposed) {
      return;
    }
    const problem = failure ? blameProblem(failure, this._options.trans) : '';
    view.dispatch({
      effects: [
        setProblem.of(problem),
        ...(result ? [setBlame.of(result)] : [])
      ]
    });
  }

  private _cell: Cell | null = null;
  private _view: EditorView | null = null;
  private _isDisposed = false;
}
