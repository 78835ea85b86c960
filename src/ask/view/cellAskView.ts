/**
 * The prompt row and the diff of one cell widget. Both show the state of the cell's
 * `GenerationModel`.
 *
 * Invariants:
 * - The request, the answer and the typed text are stored in the `GenerationModel`. So they aren't
 *   lost when JupyterLab recreates the cell's widget, which also creates a new view.
 * - A Markdown cell shows its source while its row is open. Accepted Markdown is not rendered until
 *   the person renders the cell, because rendering may load images from the web.
 */
import { Cell, CodeCell, MarkdownCell } from '@jupyterlab/cells';
import type { CodeEditor } from '@jupyterlab/codeeditor';
import type { IDisposable } from '@lumino/disposable';
import { Signal } from '@lumino/signaling';
import type { PanelLayout } from '@lumino/widgets';

import type { GenerationModel } from '../model/generation';
import { DiffOverlay } from './diff/diffOverlay';
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
    this._requestTime = model.state.requestTime;
    model.changed.connect(this._scheduleDraw, this);
    cell.model.contentChanged.connect(this._onSourceChanged, this);
    cell.disposed.connect(this.dispose, this);
    window.addEventListener('focus', this._onWindowFocus);
    if (cell instanceof CodeCell) {
      cell.model.outputs.changed.connect(this._onOutputsChanged, this);
      cell.model.stateChanged.connect(this._onOutputsChanged, this);
    }
    this._initialSource = cell.model.sharedModel.getSource();
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
    cancelAnimationFrame(this._pendingFrame);
    this._scroller?.removeEventListener('scroll', this._onScroll);
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

  /** Render a Markdown cell again if it was rendered before, and its source has not changed. */
  private _restoreRendered(): void {
    const { cell } = this;
    if (
      this._wasRendered &&
      cell instanceof MarkdownCell &&
      !cell.isDisposed &&
      cell.model?.sharedModel.getSource() === this._initialSource
    ) {
      cell.rendered = true;
    }
  }

  /** Insert the row into the cell's layout, between the input and the output. */
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

  /** Draw in the next frame. Even if many tokens arrive, the view is drawn once per frame. */
  private _scheduleDraw(): void {
    if (!this._pendingFrame) {
      this._pendingFrame = requestAnimationFrame(() => {
        this._pendingFrame = 0;
        this._draw();
      });
    }
  }

  private _draw(): void {
    const { cell, model, _options: options } = this;
    if (this._disposed || !cell.editor) {
      return;
    }
    const { phase, code, explanation, problems, requestTime } = model.state;
    if (this._requestTime !== requestTime) {
      this._requestTime = requestTime;
      this._startFollowing();
    }
    // The diff shows a suggestion or a partial answer. After a request to change the suggestion,
    // `code` is still the suggestion's code until the answer begins.
    if (!(phase === 'suggested' || (model.isBusy && code))) {
      this._overlay?.dispose();
      this._overlay = null;
      if (explanation && (phase === 'streaming' || phase === 'answered')) {
        this._followAnswer();
      }
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
      problems,
      isStreaming: phase === 'streaming'
    });
    this._followAnswer();
  }

  /** Keep the row in view while its answer arrives, if a part of the row is visible now. */
  private _startFollowing(): void {
    const scroller = this._watchScroller();
    if (scroller && this.model.isGenerating) {
      this._lastScrollTop = scroller.scrollTop;
      this._isFollowing = isPartlyInView(this.row.node);
    }
  }

  /** Return the element that scrolls the notebook's cells, and listen to its scroll events. */
  private _watchScroller(): HTMLElement | null {
    const scroller = scrollerOf(this.row.node);
    if (scroller && this._scroller !== scroller) {
      this._scroller?.removeEventListener('scroll', this._onScroll);
      this._scroller = scroller;
      this._lastScrollTop = scroller.scrollTop;
      scroller.addEventListener('scroll', this._onScroll, { passive: true });
    }
    return scroller;
  }

  /**
   * Scroll the notebook so that the row stays in view while the diff above the row, or the answer
   * in words inside the row, grows. Scroll only if the row was in view when the request was sent,
   * when the diff appeared or when the person scrolled, whichever happened last. Stop when an
   * answer in words is complete.
   */
  private _followAnswer(): void {
    const { node } = this.row;
    const scroller = this._watchScroller();
    if (scroller && this._isFollowing) {
      // Scroll after two frames, because the diff's editor gets its new height in the next frame.
      requestAnimationFrame(() =>
        requestAnimationFrame(() => {
          if (this._isFollowing && !this._disposed) {
            node.scrollIntoView({ block: 'nearest' });
            this._lastScrollTop = scroller.scrollTop;
            this._isFollowing = this.model.state.phase !== 'answered';
          }
        })
      );
    }
  }

  /**
   * After the person has scrolled, follow the answer only if the whole row is visible.
   * If `_followAnswer` has scrolled, `_lastScrollTop` equals the scroll position, so do nothing.
   */
  private readonly _onScroll = (): void => {
    const scroller = this._scroller;
    if (scroller && Math.abs(scroller.scrollTop - this._lastScrollTop) > 1) {
      this._lastScrollTop = scroller.scrollTop;
      this._isFollowing = isInView(this.row.node);
    }
  };

  /**
   * Ask the server whether another page has recorded a decision on the suggestion. Without
   * jupyter-collaboration, no signal reports the decisions of other pages.
   */
  private readonly _onWindowFocus = (): void => {
    void this.model.decision.closeIfDecided();
  };

  private _onSourceChanged(): void {
    this.model.decision.onSourceChanged();
    this._scheduleDraw();
  }

  /** Redraw the row when the cell's error changes, because the row offers to fix the error. */
  private _onOutputsChanged(): void {
    const error = this.model.target.error();
    if (error !== this._shownError) {
      this._shownError = error;
      this.row.update();
    }
  }

  /** The cell's source when the view was created. */
  private readonly _initialSource: string;
  private _shownError: string | null = null;
  private readonly _wasRendered: boolean;
  private _overlay: DiffOverlay | null = null;
  /** The id of the requested animation frame; 0 if no drawing is scheduled. */
  private _pendingFrame = 0;
  /** The element that scrolls the notebook's cells. */
  private _scroller: HTMLElement | null = null;
  /** The value of `state.requestTime` when the view was drawn last. */
  private _requestTime: number;
  /** Whether the row is kept in view while its answer arrives. */
  private _isFollowing = false;
  /** The scroll position after the last scrolling, whether by this view or by the person. */
  private _lastScrollTop = 0;
  private _disposed = false;
}

/** Return whether an element is completely in the visible area of the notebook. */
function isInView(node: HTMLElement): boolean {
  const scroller = scrollerOf(node);
  if (!scroller) {
    return false;
  }
  const nodeBox = node.getBoundingClientRect();
  const visibleBox = scroller.getBoundingClientRect();
  return nodeBox.top >= visibleBox.top && nodeBox.bottom <= visibleBox.bottom;
}

/** Return whether a part of an element is in the visible area of the notebook. */
function isPartlyInView(node: HTMLElement): boolean {
  const nodeBox = node.getBoundingClientRect();
  const visibleBox = scrollerOf(node)?.getBoundingClientRect();
  return (
    !!visibleBox &&
    nodeBox.bottom >= visibleBox.top &&
    nodeBox.top <= visibleBox.bottom
  );
}

/** Return the element that scrolls the notebook's cells. */
function scrollerOf(node: HTMLElement): HTMLElement | null {
  return node.closest<HTMLElement>('.jp-WindowedPanel-outer');
}
