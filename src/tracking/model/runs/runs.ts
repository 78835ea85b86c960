/**
 * The runs of one notebook's cells: when each was asked for, and how it ended.
 *
 * What must hold:
 * - A run is told once, with the source that it ran: the one that the cell held when it was asked
 *   for. One that the kernel dropped (it was started anew) is told as aborted.
 * - Cells wait for one another, so that a run counts from the end of the one before it.
 */
import type { Cell, CodeCell, ICodeCellModel } from '@jupyterlab/cells';
import {
  KernelError,
  NotebookActions,
  NotebookPanel
} from '@jupyterlab/notebook';
import type { IDisposable } from '@lumino/disposable';
import { Signal } from '@lumino/signaling';

import { listed } from './outputs';

const MOST_WORDS = 1000;
const GONE = ['restarting', 'autorestarting', 'terminating', 'dead'];

export interface IRunData {
  status: 'ok' | 'error' | 'aborted';
  execution_count: number | null;
  duration_ms: number;
  ename?: string;
  evalue?: string;
}

/** A run that has ended. */
export interface IRun {
  readonly cellId: string;
  readonly source: string;
  readonly data: IRunData;
  /** The cell as it is now; null where nothing was run. */
  readonly model: ICodeCellModel | null;
}

interface IPending {
  readonly cell: Cell;
  readonly source: string;
  readonly count: number | null;
  readonly since: number;
}

export interface IRunsOptions {
  panel: NotebookPanel;
  /** A cell is about to be run. */
  onAsked: (cellId: string) => void;
  onEnded: (run: IRun) => void;
}

export class Runs implements IDisposable {
  constructor(private readonly _options: IRunsOptions) {
    NotebookActions.executionScheduled.connect(this._onScheduled, this);
    NotebookActions.executed.connect(this._onExecuted, this);
    const { sessionContext } = _options.panel;
    sessionContext.statusChanged.connect(this._onStatus, this);
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  dispose(): void {
    if (!this._isDisposed) {
      this._isDisposed = true;
      this._pending.clear();
      Signal.clearData(this);
    }
  }

  private _onScheduled(
    _: unknown,
    { notebook, cell }: { notebook: unknown; cell: Cell }
  ): void {
    if (notebook !== this._options.panel.content) {
      return;
    }
    const model = cell.model as ICodeCellModel;
    const { id } = model;
    this._end(id, { status: 'aborted' });
    this._options.onAsked(id);
    const source = model.sharedModel.getSource();
    if (source.trim()) {
      const since = performance.now();
      this._pending.set(id, {
        cell,
        source,
        count: model.executionCount,
        since
      });
    }
  }

  private _onExecuted(
    _: unknown,
    args: {
      notebook: unknown;
      cell: Cell;
      success: boolean;
      error?: KernelError | null;
    }
  ): void {
    const { notebook, cell, success, error } = args;
    if (notebook !== this._options.panel.content) {
      return;
    }
    if (cell.model?.type !== 'code') {
      // A text that is drawn anew: it may have been written just now.
      this._options.onAsked(cell.model?.id ?? '');
      return;
    }
    const { id } = cell.model;
    if (success) {
      this._end(id, { status: 'ok' });
    } else if (error?.errorName) {
      this._end(id, {
        status: 'error',
        ename: words(error.errorName),
        evalue: words(error.errorValue)
      });
    } else {
      this._end(id, { status: 'aborted' });
    }
  }

  private _onStatus(_: unknown, status: string): void {
    if (GONE.includes(status)) {
      [...this._pending.keys()].forEach(id =>
        this._end(id, { status: 'aborted' })
      );
    } else if (status === 'idle') {
      this._lookAfterMoved();
    }
  }

  /** Of a cell that was moved while it ran JupyterLab doesn't say that it has ended. */
  private _lookAfterMoved(): void {
    for (const [id, { cell, count }] of [...this._pending]) {
      const model = cell.isDisposed ? this._model(id) : null;
      if (model?.executionState === 'idle' && model.executionCount !== count) {
        const error = listed(model).find(one => one.output_type === 'error');
        this._end(
          id,
          error
            ? {
                status: 'error',
                ename: words(error.ename),
                evalue: words(error.evalue)
              }
            : { status: 'ok' }
        );
      }
    }
  }

  private _end(
    id: string,
    result: Pick<IRunData, 'status' | 'ename' | 'evalue'>
  ): void {
    const pending = this._pending.get(id);
    if (!pending) {
      return;
    }
    this._pending.delete(id);
    const now = performance.now();
    const began = Math.max(pending.since, this._lastEnd);
    this._lastEnd = now;
    const model = this._model(id);
    const data: IRunData = {
      ...result,
      execution_count: model?.executionCount ?? null,
      duration_ms: Math.round(now - began)
    };
    const ran = result.status === 'aborted' ? null : model;
    this._options.onEnded({
      cellId: id,
      source: pending.source,
      data,
      model: ran
    });
  }

  private _model(id: string): ICodeCellModel | null {
    const { content } = this._options.panel;
    const found = content.isDisposed
      ? undefined
      : content.widgets.find(cell => cell.model?.id === id);
    return found?.model?.type === 'code' ? (found as CodeCell).model : null;
  }

  private readonly _pending = new Map<string, IPending>();
  private _lastEnd = 0;
  private _isDisposed = false;
}

function words(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, MOST_WORDS) : '';
}
