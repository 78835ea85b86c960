/**
 * The line below the output of a cell's current code. For an error, it has what helps without a
 * model, a fix and an explanation; for the first result of an accepted suggestion, its signals.
 */
import { Cell, CodeCell } from '@jupyterlab/cells';
import type { NotebookPanel } from '@jupyterlab/notebook';
import type { TranslationBundle } from '@jupyterlab/translation';
import { ReactWidget } from '@jupyterlab/ui-components';
import type { IDisposable } from '@lumino/disposable';
import { Signal } from '@lumino/signaling';
import { PanelLayout, Widget } from '@lumino/widgets';
import * as React from 'react';

import { errorOutput } from '../../cells/cellError';
import { Button } from '../../ui/button';
import { askIcon } from '../../ui/icons';
import type { ITarget } from '../../cells/notebookCell';
import type { ISignal } from '../../kernel/signals';
import type { NotebookAskManager } from './notebookAskManager';
import { ErrorButtons, SignalList } from './parts/findings';

type ErrorManager = Pick<
  NotebookAskManager,
  'applyRemedy' | 'explainError' | 'fix' | 'get' | 'hasRun'
>;

export class ErrorBars implements IDisposable {
  constructor(
    private readonly _panel: NotebookPanel,
    private readonly _manager: ErrorManager,
    private readonly _targetOf: (cell: Cell) => ITarget,
    private readonly _trans: TranslationBundle
  ) {
    // After a microtask, JupyterLab's listeners have created the widgets of new cells.
    _panel.content.model?.cells.changed.connect(
      () => void Promise.resolve().then(() => this._watchCells()),
      this
    );
    _panel.disposed.connect(this.dispose, this);
    _manager.hasRun.connect(this._refresh, this);
    this._watchCells();
  }

  isDisposed = false;

  dispose(): void {
    this.isDisposed = true;
    Signal.clearData(this);
    cancelAnimationFrame(this._pendingFrame);
  }

  private _watchCells(): void {
    if (this.isDisposed || this._panel.isDisposed) {
      return;
    }
    for (const cell of this._panel.content.widgets) {
      if (cell instanceof CodeCell && !this._watched.has(cell)) {
        this._watched.add(cell);
        const update = () => this._update(cell);
        cell.model.outputs.changed.connect(update, this);
        // `isDirty` says that the code was changed after it ran.
        cell.model.stateChanged.connect(update, this);
        update();
      }
    }
  }

  /** However much output arrives, update a cell once per frame. */
  private _update(cell: CodeCell): void {
    this._changed.add(cell);
    this._pendingFrame ||= requestAnimationFrame(() => {
      this._pendingFrame = 0;
      const changed = [...this._changed];
      this._changed.clear();
      changed.forEach(cell => {
        this._showOrHide(cell);
        void this._lookAtResult(cell);
      });
    });
  }

  private async _lookAtResult(cell: CodeCell): Promise<void> {
    const isOpen = !this.isDisposed && !cell.isDisposed;
    const result = isOpen && this._manager.get(cell)?.result;
    if (result) {
      await result.look();
      this._showOrHide(cell);
    }
  }

  private _showOrHide(cell: CodeCell): void {
    if (this.isDisposed || cell.isDisposed || !cell.model) {
      return;
    }
    const previous = this._bars.get(cell);
    const subject = this._subjectOf(cell);
    if (previous?.subject === subject) {
      return;
    }
    this._bars.delete(cell);
    previous?.dispose();
    if (subject) {
      const bar = this._barFor(cell, subject);
      this._bars.set(cell, bar);
      void cell.ready.then(() => insertBelowOutput(cell, bar));
    }
  }

  private _subjectOf(cell: CodeCell): Subject | undefined {
    const result = this._manager.get(cell)?.result;
    return errorOutput(cell.model) ? 'error' : result?.current;
  }

  private _barFor(cell: CodeCell, subject: Subject): Bar {
    const { _manager: manager, _trans: trans } = this;
    return subject === 'error'
      ? new ErrorBar(cell, this._targetOf(cell), manager, trans)
      : new SignalBar(subject, trans);
  }

  /** An error is shown before its run ends, so look again for what helps. */
  private _refresh(): void {
    for (const cell of this._panel.content.widgets) {
      this._bars.get(cell)?.refresh();
      if (cell instanceof CodeCell) {
        void this._lookAtResult(cell);
      }
    }
  }

  private readonly _watched = new WeakSet<CodeCell>();
  private readonly _bars = new WeakMap<Cell, Bar>();
  private readonly _changed = new Set<CodeCell>();
  private _pendingFrame = 0;
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

type Subject = 'error' | readonly ISignal[];
type Bar = ErrorBar | SignalBar;

/** Facts about a result, which may prove nothing. */
class SignalBar extends ReactWidget {
  constructor(
    readonly subject: readonly ISignal[],
    private readonly _trans: TranslationBundle
  ) {
    super();
    this.addClass('jp-AIServer-ErrorBar');
    this.update();
  }

  refresh(): void {
    // A result's signals don't change.
  }

  protected override render(): React.JSX.Element {
    return (
      <>
        <askIcon.react tag="span" className="jp-AIServer-Ask-spark" />
        <SignalList signals={this.subject} trans={this._trans} />
      </>
    );
  }
}

class ErrorBar extends ReactWidget {
  readonly subject = 'error';

  constructor(
    private readonly _cell: Cell,
    private readonly _target: ITarget,
    private readonly _manager: ErrorManager,
    private readonly _trans: TranslationBundle
  ) {
    super();
    this.addClass('jp-AIServer-ErrorBar');
    this.node.setAttribute('role', 'group');
    this.node.setAttribute('aria-label', _trans.__('Help with this error'));
    this.refresh();
  }

  refresh(): void {
    this._version++;
    this.update();
  }

  protected override render(): React.JSX.Element {
    const { _cell: cell, _manager: manager, _trans: trans } = this;
    return (
      <>
        <askIcon.react tag="span" className="jp-AIServer-Ask-spark" />
        {/* The cell's open row has these buttons, too. */}
        <span className="jp-AIServer-ErrorBar-help">
          <ErrorButtons
            target={this._target}
            version={this._version}
            trans={trans}
            apply={remedy => manager.applyRemedy(cell, remedy)}
            fix={() => manager.fix(cell)}
          />
        </span>
        <Button
          label={trans.__('Explain the error')}
          run={() => manager.explainError(cell)}
        />
      </>
    );
  }

  private _version = 0;
}
