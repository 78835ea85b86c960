/**
 * Buttons below a cell's error that ask for a fix or an explanation. Before them are buttons for what
 * helps without a model.
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
import { type KernelEvent, KernelEvents } from '../../../kernel/kernelEvents';
import { askIcon } from '../../../ui/icons';
import type { Remedy } from '../../model/remedies';
import { remedyTexts } from './remedies';

export interface IErrorBarOptions {
  readonly panel: NotebookPanel;
  readonly trans: TranslationBundle;
  /** Ask for a fix of the cell's error. */
  readonly fix: (cell: Cell) => void;
  /** Ask why the cell's error occurs. */
  readonly explain: (cell: Cell) => void;
  /** Return what helps with the cell's error without a model, as far as the kernel tells now. */
  readonly findRemedies: (cell: Cell) => Promise<readonly Remedy[]>;
  readonly applyRemedy: (cell: Cell, remedy: Remedy) => void;
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
    this._kernelEvents = new KernelEvents(panel.sessionContext);
    this._kernelEvents.emitted.connect(this._onKernelEvent, this);
    this._watchCells();
  }

  get isDisposed(): boolean {
    return this._disposed;
  }

  dispose(): void {
    this._disposed = true;
    Signal.clearData(this);
    this._kernelEvents.dispose();
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
      const created = new ErrorBar(cell, this._options);
      this._bars.set(cell, created);
      void cell.ready.then(() => insertBelowOutput(cell, created));
    }
  }

  /** After a run or a restart, look again for what helps: an error is shown before its run ends. */
  private _onKernelEvent(_: unknown, event: KernelEvent): void {
    if (event !== 'idle') {
      this._hasRun = true;
    } else if (this._hasRun) {
      this._hasRun = false;
      for (const cell of this._options.panel.content.widgets) {
        this._bars.get(cell)?.refresh();
      }
    }
  }

  private readonly _watched = new WeakSet<CodeCell>();
  private readonly _bars = new WeakMap<Cell, ErrorBar>();
  private readonly _changed = new Set<CodeCell>();
  /** The id of the requested animation frame; 0 if no update is scheduled. */
  private _pendingFrame = 0;
  private readonly _kernelEvents: KernelEvents;
  /** Whether the kernel has run code, or was started, since its last event `idle`. */
  private _hasRun = true;
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

class ErrorBar extends Widget {
  constructor(
    private readonly _cell: Cell,
    private readonly _options: IErrorBarOptions
  ) {
    super();
    const { trans, fix, explain } = _options;
    this.addClass('jp-AIServer-ErrorBar');
    this.node.setAttribute('role', 'group');
    this.node.setAttribute('aria-label', trans.__('Help with this error'));
    const icon = document.createElement('span');
    icon.className = 'jp-AIServer-Ask-spark';
    askIcon.element({ container: icon });
    this._remedies.className = 'jp-AIServer-ErrorBar-remedies';
    this.node.append(
      icon,
      this._remedies,
      createButton(trans.__('Fix it'), () => fix(_cell)),
      createButton(trans.__('Explain the error'), () => explain(_cell))
    );
    this.refresh();
  }

  /** Look for what helps with the error without a model, and show it. */
  refresh(): void {
    const request = (this._request = this._options.findRemedies(this._cell));
    void request
      .catch(() => [])
      .then(remedies => {
        if (request === this._request && !this.isDisposed) {
          this._show(remedies);
        }
      });
  }

  private _show(remedies: readonly Remedy[]): void {
    const { trans, applyRemedy } = this._options;
    const texts = remedies.map(remedy => remedyTexts(remedy, trans));
    const labels = texts.map(({ label }) => label).join('\n');
    if (labels === this._labels) {
      return; // A button that has the focus keeps it.
    }
    this._labels = labels;
    this._remedies.replaceChildren(
      ...remedies.map((remedy, index) => {
        const { label, title } = texts[index];
        const run = () => applyRemedy(this._cell, remedy);
        return createButton(label, run, title);
      })
    );
  }

  private readonly _remedies = document.createElement('span');
  private _labels = '';
  private _request: Promise<readonly Remedy[]> | null = null;
}

function createButton(
  label: string,
  run: () => void,
  title = ''
): HTMLButtonElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'jp-AIServer-Ask-button';
  button.textContent = label;
  button.title = title;
  button.onclick = run;
  return button;
}
