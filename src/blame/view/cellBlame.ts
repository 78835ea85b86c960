/**
 * The blame gutter of one cell while the gutter is turned on: loads the contributors and shows them
 * in the cell's current editor, which changes when the cell is moved.
 */
import { Compartment, StateEffect } from '@codemirror/state';
import type { EditorView } from '@codemirror/view';
import type { Cell } from '@jupyterlab/cells';
import { CodeMirrorEditor } from '@jupyterlab/codemirror';

import type { BlameLine } from '../../api/types';
import { BlameModel } from '../model/blame';
import { blameProblem, IBlameLocale } from './blameLabels';
import { blameGutter, blameAtCursor, setBlame, setProblem } from './gutter';

export interface ICellBlameOptions extends IBlameLocale {
  /** Show the step of a line. */
  readonly show: (cellId: string, line: BlameLine) => void;
}

/** The CodeMirror compartment of each editor's gutter, used again when it is turned on again. */
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

  /** The contributor of the line with the cursor; null until it is loaded. */
  get atCursor(): BlameLine | null {
    return this._view && blameAtCursor(this._view);
  }

  /** Show the gutter in this widget of the cell instead of the cell's previous widget. */
  async attach(cell: Cell): Promise<void> {
    if (this._cell === cell) {
      return;
    }
    this._detach();
    this._cell = cell;
    await cell.ready;
    if (this._cell !== cell || cell.isDisposed || this._isDisposed) {
      return;
    }
    const { editor } = cell;
    if (!(editor instanceof CodeMirrorEditor)) {
      return;
    }
    const view = (this._view = editor.editor);
    const gutter = blameGutter(this._options, line =>
      this._options.show(this.cellId, line)
    );
    const existing = compartments.get(view);
    const compartment = existing ?? new Compartment();
    compartments.set(view, compartment);
    view.dispatch({
      effects: existing
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
      const compartment = compartments.get(view);
      if (compartment) {
        view.dispatch({ effects: compartment.reconfigure([]) });
      }
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
