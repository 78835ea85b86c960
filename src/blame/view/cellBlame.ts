/**
 * The gutter of one cell, for as long as it is on: it asks who wrote the lines, and puts the
 * answer into whichever editor the cell has. (A cell that is moved is drawn anew, with the same
 * id.)
 */
import { Compartment, StateEffect } from '@codemirror/state';
import type { EditorView } from '@codemirror/view';
import type { Cell } from '@jupyterlab/cells';
import { CodeMirrorEditor } from '@jupyterlab/codemirror';
import { IDisposable } from '@lumino/disposable';

import type { BlameLine } from '../../api/types';
import { BlameModel } from '../model/blame';
import type { IFailure } from '../../state/failure';
import {
  blameGutter,
  IBlameWords,
  ownerAtCursor,
  setBlame,
  setProblem
} from './gutter';

export interface ICellBlameOptions {
  readonly words: IBlameWords;
  /** Why the lines' authors can't be told. */
  readonly problem: (failure: IFailure) => string;
  /** Show the step of a line. */
  readonly show: (cellId: string, line: BlameLine) => void;
}

/** One for each editor, so that turning it on again puts it in the same place. */
const places = new WeakMap<EditorView, Compartment>();

export class CellBlame implements IDisposable {
  constructor(
    readonly cellId: string,
    private readonly _model: BlameModel,
    private readonly _options: ICellBlameOptions
  ) {
    _model.changed.connect(this._tell, this);
    void _model.load();
  }

  /** Who wrote the line with the cursor; null while that is not known. */
  get atCursor(): BlameLine | null {
    return this._view && ownerAtCursor(this._view);
  }

  /** Draw it in this widget of the cell, and in no other. */
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
    const { words, show } = this._options;
    const gutter = blameGutter(words, line => show(this.cellId, line));
    const known = places.get(view);
    const place = known ?? new Compartment();
    places.set(view, place);
    view.dispatch({
      effects: known
        ? place.reconfigure(gutter)
        : StateEffect.appendConfig.of(place.of(gutter))
    });
    this._tell();
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  dispose(): void {
    if (!this._isDisposed) {
      this._isDisposed = true;
      this._detach();
      this._model.changed.disconnect(this._tell, this);
      this._model.dispose();
    }
  }

  private _detach(): void {
    const { _view: view, _cell: cell } = this;
    this._view = this._cell = null;
    if (view && cell && !cell.isDisposed) {
      const place = places.get(view);
      if (place) {
        view.dispatch({ effects: place.reconfigure([]) });
      }
    }
  }

  private _tell(): void {
    const { blamed, failure } = this._model;
    const view = this._view;
    if (!view || !this._cell || this._cell.isDisposed) {
      return;
    }
    const problem = failure ? this._options.problem(failure) : '';
    view.dispatch({
      effects: [
        setProblem.of(problem),
        ...(blamed ? [setBlame.of(blamed)] : [])
      ]
    });
  }

  private _cell: Cell | null = null;
  private _view: EditorView | null = null;
  private _isDisposed = false;
}
