/**
 * The prompt row and the diff of one cell widget, synchronized with the cell's generation model.
 *
 * Invariants:
 * - The view has no state of its own, so that it can be recreated whenever JupyterLab recreates
 *   the cell's widget.
 * - A Markdown cell shows its source while its row is open. Accepted Markdown is not rendered until
 *   the person renders the cell, because rendering may load images from the web.
 */
import { Cell, CodeCell, MarkdownCell } from '@jupyterlab/cells';
import type { CodeEditor } from '@jupyterlab/codeeditor';
import type { IDisposable } from '@lumino/disposable';
import { Signal } from '@lumino/signaling';
import type { PanelLayout } from '@lumino/widgets';

import type { GenerationModel } from '../model/generation';
import { DiffOverlay } from './diffOverlay';
import { handleKey } from './promptKeys';
import { IPromptRowServices, PromptRow } from './promptRow';

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
    model.changed.connect(this._schedule, this);
    cell.model.contentChanged.connect(this._onSource, this);
    cell.disposed.connect(this.dispose, this);
    window.addEventListener('focus', this._onWindowFocus);
    if (cell instanceof CodeCell) {
      cell.model.outputs.changed.connect(this._onOutputs, this);
      cell.model.stateChanged.connect(this._onOutputs, this);
    }
    this._source = cell.model.sharedModel.getSource();
    this._wasRendered = cell instanceof MarkdownCell && cell.rendered;
    if (cell instanceof MarkdownCell) {
      cell.renderedChanged.connect(this._showSource, this);
    }
    void cell.ready.then(() => this._insertRow());
  }

  readonly cell: Cell;
  readonly model: GenerationModel;
  readonly row: PromptRow;

  get isDisposed(): boolean {
    return this._disposed;
  }

  /** Whether the diff covers the cell's editor. */
  get hasDiff(): boolean {
    return this._overlay !== null;
  }

  get hasFocus(): boolean {
    return this.row.hasFocus || (this._overlay?.hasFocus ?? false);
  }

  dispose(): void {
    if (this._disposed) {
      return;
    }
    this._disposed = true;
    Signal.clearData(this);
    window.removeEventListener('focus', this._onWindowFocus);
    cancelAnimationFrame(this._frame);
    this._frameNode?.removeEventListener('scroll', this._onScroll);
    this._overlay?.dispose();
    this._overlay = null;
    this.row.dispose();
    this._restoreRendered();
  }

  /** Show the source of a Markdown cell, because a rendered cell has no editor for the diff. */
  private _showSource(): void {
    if (this.cell instanceof MarkdownCell) {
      this.cell.rendered = false;
    }
  }

  /** Render a Markdown cell again if its text is unchanged. */
  private _restoreRendered(): void {
    const { cell } = this;
    if (
      this._wasRendered &&
      cell instanceof MarkdownCell &&
      !cell.isDisposed &&
      cell.model?.sharedModel.getSource() === this._source
    ) {
      cell.rendered = true;
    }
  }

  /** Insert the row into the cell's layout, between input and output. */
  private _insertRow(): void {
    if (this._disposed || this.cell.isDisposed) {
      return;
    }
    this.cell.inputHidden = false;
    this._showSource();
    const layout = this.cell.layout as PanelLayout;
    const input = layout.widgets.findIndex(widget =>
      widget.hasClass('jp-Cell-inputWrapper')
    );
    layout.insertWidget(input + 1, this.row);
    this._draw();
  }

  /** Draw in the next frame, so that fast tokens cause at most one drawing per frame. */
  private _schedule(): void {
    if (!this._frame) {
      this._frame = requestAnimationFrame(() => {
        this._frame = 0;
        this._draw();
      });
    }
  }

  private _draw(): void {
    const { cell, model, _options: options } = this;
    if (this._disposed || !cell.editor) {
      return;
    }
    const { phase, code } = model.state;
    // While a request to change the suggestion waits for its answer, the suggestion stays visible.
    if (!(phase === 'suggested' || (model.isBusy && code))) {
      this._overlay?.dispose();
      this._overlay = null;
      return;
    }
    if (!this._overlay) {
      this._isFollowing = isInView(this.row.node);
    }
    this._overlay ??= new DiffOverlay({
      cell,
      newEditor: options.newEditor,
      trans: options.trans,
      onRevise: revised => {
        model.decision.revise(revised);
        this.row.focus();
      },
      onKey: event => {
        if (handleKey(model, event)) {
          event.preventDefault();
          event.stopPropagation();
        }
      }
    });
    this._overlay.show({
      original: cell.model.sharedModel.getSource(),
      code,
      streaming: phase === 'streaming'
    });
    this._followStream();
  }

  /**
   * Keep the row in view while the code above it grows, if the row was in view when the answer
   * began, until the person scrolls away.
   */
  private _followStream(): void {
    const { node } = this.row;
    const frame = node.closest<HTMLElement>('.jp-WindowedPanel-outer');
    if (!frame) {
      return;
    }
    if (this._frameNode !== frame) {
      this._frameNode?.removeEventListener('scroll', this._onScroll);
      this._frameNode = frame;
      this._scrolledTo = frame.scrollTop;
      frame.addEventListener('scroll', this._onScroll, { passive: true });
    }
    if (this._isFollowing) {
      // The editor measures its height in the next frame.
      requestAnimationFrame(() =>
        requestAnimationFrame(() => {
          if (this._isFollowing && !this._disposed) {
            node.scrollIntoView({ block: 'nearest' });
            this._scrolledTo = frame.scrollTop;
          }
        })
      );
    }
  }

  /** Stop following after the person scrolls the row out of view. */
  private readonly _onScroll = (): void => {
    const frame = this._frameNode;
    if (frame && Math.abs(frame.scrollTop - this._scrolledTo) > 1) {
      this._scrolledTo = frame.scrollTop;
      this._isFollowing = isInView(this.row.node);
    }
  };

  /** Check for a decision in another page, which isn't signalled unless the notebook is shared. */
  private readonly _onWindowFocus = (): void => {
    void this.model.decision.refresh();
  };

  private _onSource(): void {
    this.model.decision.sourceChanged();
    this._schedule();
  }

  /** Redraw the row when the cell's error changes, because the row offers to fix the error. */
  private _onOutputs(): void {
    const error = this.model.target.error();
    if (error !== this._error) {
      this._error = error;
      this.row.update();
    }
  }

  private readonly _source: string;
  private _error: string | null = null;
  private readonly _wasRendered: boolean;
  private _overlay: DiffOverlay | null = null;
  private _frame = 0;
  private _frameNode: HTMLElement | null = null;
  private _isFollowing = false;
  private _scrolledTo = 0;
  private _disposed = false;
}

/** Whether an element is completely in view. */
function isInView(node: HTMLElement): boolean {
  const frame = node.closest('.jp-WindowedPanel-outer');
  if (!frame) {
    return false;
  }
  const inner = node.getBoundingClientRect();
  const outer = frame.getBoundingClientRect();
  return inner.top >= outer.top && inner.bottom <= outer.bottom;
}
