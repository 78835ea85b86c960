/**
 * Buttons below a cell's error that ask for a fix or an explanation.
 *
 * Invariant: a cell has the buttons as long as its output shows an error of its current code.
 */
import { Cell, CodeCell } from '@jupyterlab/cells';
import type { NotebookPanel } from '@jupyterlab/notebook';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { IDisposable } from '@lumino/disposable';
import { Signal } from '@lumino/signaling';
import { PanelLayout, Widget } from '@lumino/widgets';

import { errorOutput } from '../../../cells/cellError';
import { askIcon } from '../../../ui/icons';

export interface IErrorBarOptions {
  readonly panel: NotebookPanel;
  readonly trans: TranslationBundle;
  /** Ask for a fix of the cell's error. */
  readonly fix: (cell: Cell) => void;
  /** Ask why the cell's error occurs. */
  readonly explain: (cell: Cell) => void;
}

export class ErrorBars implements IDisposable {
  constructor(private readonly _options: IErrorBarOptions) {
    const { panel } = _options;
    // Wait for a microtask, so that JupyterLab's listeners create the widgets of new cells first.
    panel.content.model?.cells.changed.connect(
      () => void Promise.resolve().then(() => this._watchCells()),
      this
    );
    panel.disposed.connect(this.dispose, this);
    this._watchCells();
  }

  get isDisposed(): boolean {
    return this._disposed;
  }

  dispose(): void {
    this._disposed = true;
    Signal.clearData(this);
    cancelAnimationFrame(this._pendingFrame);
  }

  /** Observe the errors of cells that have new widgets. */
  private _watchCells(): void {
    if (this._disposed || this._options.panel.isDisposed) {
      return;
    }
    for (const cell of this._options.panel.content.widgets) {
      if (cell instanceof CodeCell && !this._watched.has(cell)) {
        this._watched.add(cell);
        const update = () => this._update(cell);
        cell.model.outputs.changed.connect(update, this);
        // The state `isDirty` says that the code was changed after it ran.
        cell.model.stateChanged.connect(update, this);
        update();
      }
    }
  }

  /** Update a cell in the next frame. Even if much output arrives, it is updated once per frame. */
  private _update(cell: CodeCell): void {
    this._changed.add(cell);
    this._pendingFrame ||= requestAnimationFrame(() => {
      this._pendingFrame = 0;
      const changed = [...this._changed];
      this._changed.clear();
      changed.forEach(cell => this._showOrHide(cell));
    });
  }

  private _showOrHide(cell: CodeCell): void {
    if (this._disposed || cell.isDisposed || !cell.model) {
      return;
    }
    const bar = this._bars.get(cell);
    const hasError = errorOutput(cell.model) !== null;
    if (!hasError && bar) {
      this._bars.delete(cell);
      bar.dispose();
    } else if (hasError && !bar) {
      const { trans, fix, explain } = this._options;
      const created = createErrorBar(trans, {
        fix: () => fix(cell),
        explain: () => explain(cell)
      });
      this._bars.set(cell, created);
      void cell.ready.then(() => insertBelowOutput(cell, created));
    }
  }

  private readonly _watched = new WeakSet<CodeCell>();
  private readonly _bars = new WeakMap<CodeCell, Widget>();
  private readonly _changed = new Set<CodeCell>();
  /** The id of the requested animation frame; 0 if no update is scheduled. */
  private _pendingFrame = 0;
  private _disposed = false;
}

function insertBelowOutput(cell: Cell, bar: Widget): void {
  if (cell.isDisposed || bar.isDisposed) {
    return;
  }
  const layout = cell.layout as PanelLayout;
  const output = layout.widgets.findIndex(widget =>
    widget.hasClass('jp-Cell-outputWrapper')
  );
  layout.insertWidget(output + 1, bar);
}

function createErrorBar(
  trans: TranslationBundle,
  { fix, explain }: { fix: () => void; explain: () => void }
): Widget {
  const bar = new Widget();
  bar.addClass('jp-AIServer-ErrorBar');
  bar.node.setAttribute('role', 'group');
  bar.node.setAttribute('aria-label', trans.__('Help with this error'));
  const icon = document.createElement('span');
  icon.className = 'jp-AIServer-Ask-spark';
  askIcon.element({ container: icon });
  bar.node.append(icon);
  const actions = [
    { label: trans.__('Fix it'), run: fix },
    { label: trans.__('Explain the error'), run: explain }
  ];
  for (const { label, run } of actions) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'jp-AIServer-Ask-button';
    button.textContent = label;
    button.onclick = run;
    bar.node.append(button);
  }
  return bar;
}
