/** Shows the blame gutter in one cell's editor, until the person turns the gutter off. */
import { Compartment, StateEffect } from '@codemirror/state';
import type { EditorView } from '@codemirror/view';
import type { Cell } from '@jupyterlab/cells';
import { CodeMirrorEditor } from '@jupyterlab/codemirror';

import type { BlameLine } from '../../api/types';
import { BlameModel } from '../model/blame';
import { blameProblem, IBlameLocale } from './blameLabels';
import { blameGutter, blameAtCursor, setBlame, setProblem } from './gutter';

export interface ICellBlameOptions extends IBlameLocale {
  readonly showStep: (cellId: string, line: BlameLine) => void;
}

/**
 * The compartment for the gutter in each editor. It can't be removed, and is empty while the gutter
 * is off.
 */
const compartments = new WeakMap<EditorView, Compartment>();

export class CellBlame {
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
