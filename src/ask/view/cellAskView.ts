/**
 * The prompt row and the diff of one cell widget.
 *
 * Invariants:
 * - All state is in the `GenerationModel`, because JupyterLab may recreate the widget.
 * - A Markdown cell shows its source while its row is open. Accepted Markdown isn't rendered until
 *   the person does so, because rendering may load images from the web.
 */
import { Cell, CodeCell, MarkdownCell } from '@jupyterlab/cells';
import type { CodeEditor } from '@jupyterlab/codeeditor';
import type { IDisposable } from '@lumino/disposable';
import { Signal } from '@lumino/signaling';
import type { PanelLayout } from '@lumino/widgets';

import type { GenerationModel } from '../model/generation';
import { DiffOverlay } from './diff/diffOverlay';
import { handleKey, runChangeAction } from './input/promptKeys';
import { PromptRow } from './promptRow';
import type { IPromptRowServices } from './row';
import { RowFollower } from './rowFollower';
import { sourceOf } from '../../cells/source';

export interface ICellAskViewOptions extends IPromptRowServices {
  cell: Cell;
  model: GenerationModel;
  newEditor: CodeEditor.Factory;
}

export class CellAskView implements IDisposable {
  constructor(private readonly _options: ICellAskViewOptions) {
    const { cell, model } = _options;
    this.cell = cell;
    this.model = model;
    this.row = new PromptRow(model, _options);
    this._follower = new RowFollower(this.row.node, cell.node);
    this._requestTime = model.state.requestTime;
    model.changed.connect(this._scheduleDraw, this);
    cell.model.contentChanged.connect(this._onSourceChanged, this);
    cell.disposed.connect(this.dispose, this);
    window.addEventListener('focus', this._onWindowFocus);
    if (cell instanceof CodeCell) {
      cell.model.outputs.changed.connect(this._onOutputsChanged, this);
      cell.model.stateChanged.connect(this._onOutputsChanged, this);
    }
    this._initialSource = sourceOf(cell.model.sharedModel);
    this._wasRendered = cell instanceof MarkdownCell && cell.rendered;
    if (cell instanceof MarkdownCell) {
      cell.renderedChanged.connect(this._showSource, this);
    }
    void cell.ready.then(() => this._insertRow());
  }

  isDisposed = false;

  readonly cell: Cell;
  readonly model: GenerationModel;
  readonly row: PromptRow;

  get hasDiff(): boolean {
    return this._overlay !== null;
  }

  get hasFocus(): boolean {
    return this.row.hasFocus || (this._overlay?.hasFocus ?? false);
  }

  dispose(): void {
    if (this.isDisposed) {
      return;
    }
    this.isDisposed = true;
    Signal.clearData(this);
    window.removeEventListener('focus', this._onWindowFocus);
    cancelAnimationFrame(this._pendingFrame);
    this._follower.dispose();
    this._overlay?.dispose();
    this._overlay = null;
    this.row.dispose();
    this._restoreRendered();
  }

  scrollIntoView(): void {
    this._follower.open();
  }

  /** A rendered cell has no editor for the diff. */
  private _showSource(): void {
    if (this.cell instanceof MarkdownCell) {
      this.cell.rendered = false;
    }
  }

  private _restoreRendered(): void {
    const { cell } = this;
    if (
      this._wasRendered &&
      cell instanceof MarkdownCell &&
      !cell.isDisposed &&
      sourceOf(cell.model.sharedModel) === this._initialSource
    ) {
      cell.rendered = true;
    }
  }

  private _insertRow(): void {
    if (this.isDisposed || this.cell.isDisposed) {
      return;
    }
    this.cell.inputHidden = false;
    this._showSource();
    const layout = this.cell.layout as PanelLayout;
    const input = layout.widgets.findIndex(widget =>
      widget.hasClass('jp-Cell-inputWrapper')
    );
    layout.insertWidget(input + 1, this.row);
    // The widget may be new, after a reload of the notebook from its file.
    this.model.decision.onSourceChanged();
    this._draw();
  }

  /** However many tokens arrive, draw once per frame. */
  private _scheduleDraw(): void {
    if (!this._pendingFrame) {
      this._pendingFrame = requestAnimationFrame(() => {
        this._pendingFrame = 0;
        this._draw();
      });
    }
  }

  private _draw(): void {
    const { cell, model } = this;
    if (this.isDisposed || !cell.editor) {
      return;
    }
    const { phase, code, problems, isChecking, isRemedy, requestTime } =
      model.state;
    if (this._requestTime !== requestTime) {
      this._requestTime = requestTime;
      if (model.isGenerating) {
        this._follower.followIfVisible();
      }
    }
    if (!this._showsCode) {
      this._overlay?.dispose();
      this._overlay = null;
      return;
    }
    this._overlay ??= this._createOverlay();
    this._overlay.show({
      original: sourceOf(cell.model.sharedModel),
      code,
      problems,
      selected: model.decision.selectedRange,
      isStreaming: phase === 'streaming' || phase === 'failed',
      isEditable: phase === 'suggested' && !isChecking,
      isRemedy
    });
  }

  /** Whether there is a suggestion or a part of one; until an answer begins, the previous one. */
  private get _showsCode(): boolean {
    const { isBusy, state } = this.model;
    const isPartial = isBusy || state.phase === 'failed';
    return state.phase === 'suggested' || (isPartial && state.code !== '');
  }

  private _createOverlay(): DiffOverlay {
    const { cell, model } = this;
    const { newEditor, trans } = this._options;
    return new DiffOverlay({
      ...{ cell, newEditor, trans },
      onChange: (offset, action) => {
        runChangeAction(model, model.decision.changeAt(offset), action);
        this.row.focus();
      },
      onEdit: edited => model.decision.edit(edited),
      onKey: event => {
        if (event.isComposing || event.keyCode === 229) {
          return; // For an input method.
        }
        const leaves = event.key === 'Escape' && !model.isBusy;
        if (leaves || handleKey(model, event)) {
          event.preventDefault();
          event.stopPropagation();
        }
        if (leaves) {
          this.row.focus(); // There, Escape rejects the suggestion.
        }
      }
    });
  }

  /** Look for another page's decision. Without jupyter-collaboration, no signal reports it. */
  private readonly _onWindowFocus = (): void => {
    void this.model.decision.closeIfDecided();
  };

  private _onSourceChanged(): void {
    this.model.decision.onSourceChanged();
    this._scheduleDraw();
    this.row.update(); // It shows which lines may change.
  }

  /** The row offers to fix the cell's error. */
  private _onOutputsChanged(): void {
    const error = this.model.target.error();
    if (error !== this._shownError) {
      this._shownError = error;
      this.row.update();
    }
  }

  private readonly _follower: RowFollower;
  private readonly _initialSource: string;
  private _shownError: string | null = null;
  private readonly _wasRendered: boolean;
  private _overlay: DiffOverlay | null = null;
  private _pendingFrame = 0;
  private _requestTime: number;
}
