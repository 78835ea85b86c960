/**
 * The prompt row and the diff of one cell widget, kept in step with the model of its asking.
 *
 * What must hold:
 * - It holds nothing that the model does not have, so that it can be thrown away and made
 *   anew whenever JupyterLab draws the cell anew.
 * - A Markdown cell shows its source while it is asked in. Text that was accepted is not
 *   rendered, as code is not run, until the person does it: drawing it may load images.
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

export interface ICellAskOptions extends IPromptRowServices {
  cell: Cell;
  model: GenerationModel;
  newEditor: CodeEditor.Factory;
}

export class CellAsk implements IDisposable {
  constructor(private readonly _options: ICellAskOptions) {
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
    void cell.ready.then(() => this._place());
  }

  readonly cell: Cell;
  readonly model: GenerationModel;
  readonly row: PromptRow;

  get isDisposed(): boolean {
    return this._disposed;
  }

  /** Whether the diff covers the cell's editor. */
  get covers(): boolean {
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
    this._renderAgain();
  }

  /** Rendered in place of its editor, the cell could not show what is proposed. */
  private _showSource(): void {
    if (this.cell instanceof MarkdownCell) {
      this.cell.rendered = false;
    }
  }

  /** A text that stayed as it was looks as it did. */
  private _renderAgain(): void {
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

  /** Below the input, above the output: in every windowing mode the cell carries it along. */
  private _place(): void {
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

  /** Draw at most once a frame, however fast the tokens come. */
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
    // While a further request is read, the suggestion that it builds on stays on view.
    if (!(phase === 'suggested' || (model.isBusy && code))) {
      this._overlay?.dispose();
      this._overlay = null;
      return;
    }
    if (!this._overlay) {
      this._follow = isInView(this.row.node);
    }
    this._overlay ??= new DiffOverlay({
      cell,
      newEditor: options.newEditor,
      trans: options.trans,
      onRevise: revised => {
        model.revise(revised);
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
    this._keepInView();
  }

  /**
   * While the code above it grows, the row stays on view if it was so when the code began,
   * until the person scrolls away from it.
   */
  private _keepInView(): void {
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
    if (this._follow) {
      // The editor knows its height only after it has measured itself.
      requestAnimationFrame(() =>
        requestAnimationFrame(() => {
          if (this._follow && !this._disposed) {
            node.scrollIntoView({ block: 'nearest' });
            this._scrolledTo = frame.scrollTop;
          }
        })
      );
    }
  }

  /** By wheel, key, touch or scroll bar alike: who goes elsewhere is not pulled back. */
  private readonly _onScroll = (): void => {
    const frame = this._frameNode;
    if (frame && Math.abs(frame.scrollTop - this._scrolledTo) > 1) {
      this._scrolledTo = frame.scrollTop;
      this._follow = isInView(this.row.node);
    }
  };

  /** Without a shared document nothing says what was done in another window meanwhile. */
  private readonly _onWindowFocus = (): void => {
    void this.model.refreshDecision();
  };

  private _onSource(): void {
    this.model.sourceChanged();
    this._schedule();
  }

  /** An error came or went: the row offers to mend it. */
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
  private _follow = false;
  private _scrolledTo = 0;
  private _disposed = false;
}

/** Whether the row is wholly on view. */
function isInView(node: HTMLElement): boolean {
  const frame = node.closest('.jp-WindowedPanel-outer');
  if (!frame) {
    return false;
  }
  const inner = node.getBoundingClientRect();
  const outer = frame.getBoundingClientRect();
  return inner.top >= outer.top && inner.bottom <= outer.bottom;
}
