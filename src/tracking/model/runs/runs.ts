/**
 * Observes the runs of a notebook's cells.
 *
 * Invariants:
 * - Each run of a cell that isn't blank is reported once, when it has ended, with the source when it
 *   was scheduled. A run during which the kernel stopped is aborted. A run that didn't begin,
 *   because an earlier cell failed or the kernel stopped, isn't reported.
 * - Cells run one after another. A run's duration doesn't include the wait for the previous run.
 */
import type { Cell, CodeCell, ICodeCellModel } from '@jupyterlab/cells';
import {
  KernelError,
  NotebookActions,
  NotebookPanel
} from '@jupyterlab/notebook';
import { Signal } from '@lumino/signaling';

import { findCell } from '../../../cells/notebookCell';
import { ownWriteAuthor } from '../../../cells/ownWrites';
import type { IWriteAuthor } from '../../../records/contributor';
import { outputsOf } from './outputs';
import { sourceOf } from '../../../cells/source';

/** The limit for an error's name and for its message, in characters. */
const MAX_ERROR_LENGTH = 1000;
/** A kernel with one of these statuses has dropped all pending runs. */
const STOPPED_STATUSES = [
  'restarting',
  'autorestarting',
  'terminating',
  'dead'
];

export interface IRunData {
  status: 'ok' | 'error' | 'aborted';
  execution_count: number | null;
  duration_ms: number;
  ename?: string;
  evalue?: string;
}

type RunResult = Pick<IRunData, 'status' | 'ename' | 'evalue'>;

export interface IRun {
  readonly cellId: string;
  readonly source: string;
  readonly data: IRunData;
  /** Null if the run was aborted, or the cell was deleted. */
  readonly model: ICodeCellModel | null;
  /** The agent that has run the cell; null for the person. */
  readonly author: IWriteAuthor | null;
}

interface IPendingRun {
  readonly cell: Cell;
  readonly source: string;
  readonly executionCountBefore: number | null;
  /** In milliseconds since the page was opened. */
  readonly scheduledAt: number;
  readonly author: IWriteAuthor | null;
}

export interface IRunsOptions {
  panel: NotebookPanel;
  /** Called when a code cell's run is scheduled, and after a Markdown cell was rendered. */
  onScheduled: (cellId: string) => void;
  onEnded: (run: IRun) => void;
}

export class Runs {
  constructor(private readonly _options: IRunsOptions) {
    NotebookActions.executionScheduled.connect(this._onScheduled, this);
    NotebookActions.executed.connect(this._onExecuted, this);
    const { sessionContext } = _options.panel;
    sessionContext.statusChanged.connect(this._onStatus, this);
  }

  dispose(): void {
    this._pending.clear();
    Signal.clearData(this);
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
    // The new run replaces a pending one.
    this._abort(id);
    this._options.onScheduled(id);
    const source = sourceOf(model.sharedModel);
    if (source.trim()) {
      this._pending.set(id, {
        cell,
        source,
        executionCountBefore: model.executionCount,
        scheduledAt: performance.now(),
        author: ownWriteAuthor()
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
      // A Markdown cell has no run, but its edits are recorded now.
      this._options.onScheduled(cell.model?.id ?? '');
      return;
    }
    const { id } = cell.model;
    if (success) {
      this._endRun(id, { status: 'ok' });
    } else if (error?.errorName) {
      this._endRun(id, toErrorResult(error.errorName, error.errorValue));
    } else {
      this._pending.delete(id); // Skipped by the kernel, because an earlier cell failed.
    }
  }

  private _onStatus(_: unknown, status: string): void {
    if (STOPPED_STATUSES.includes(status)) {
      [...this._pending.keys()].reverse().forEach(id => this._abort(id));
    } else if (status === 'idle') {
      this._checkMovedCells();
    }
  }

  /** JupyterLab doesn't report when the run of a cell that was moved meanwhile ends. */
  private _checkMovedCells(): void {
    for (const [id, { cell, executionCountBefore }] of [...this._pending]) {
      // JupyterLab replaces the widget of a moved cell.
      const model = cell.isDisposed ? this._codeCellModel(id) : null;
      if (
        model?.executionState === 'idle' &&
        model.executionCount !== executionCountBefore
      ) {
        const error = outputsOf(model).find(
          output => output.output_type === 'error'
        );
        this._endRun(
          id,
          error ? toErrorResult(error.ename, error.evalue) : { status: 'ok' }
        );
      }
    }
  }

  /** Report the run only if it has begun: if it is the first one. */
  private _abort(id: string): void {
    const [running] = this._pending.keys();
    if (id === running) {
      this._endRun(id, { status: 'aborted' });
    } else {
      this._pending.delete(id);
    }
  }

  private _endRun(id: string, result: RunResult): void {
    const pending = this._pending.get(id);
    if (!pending) {
      return;
    }
    this._pending.delete(id);
    const now = performance.now();
    const start = Math.max(pending.scheduledAt, this._lastEndTime);
    this._lastEndTime = now;
    const model = this._codeCellModel(id);
    const data: IRunData = {
      ...result,
      execution_count: model?.executionCount ?? null,
      duration_ms: Math.round(now - start)
    };
    this._options.onEnded({
      cellId: id,
      source: pending.source,
      author: pending.author,
      data,
      model: result.status === 'aborted' ? null : model
    });
  }

  private _codeCellModel(id: string): ICodeCellModel | null {
    const cell = findCell(this._options.panel, id);
    return cell?.model?.type === 'code' ? (cell as CodeCell).model : null;
  }

  private readonly _pending = new Map<string, IPendingRun>();
  /** In milliseconds since the page was opened. */
  private _lastEndTime = 0;
}

function toErrorResult(name: unknown, message: unknown): RunResult {
  const [ename, evalue] = [name, message].map(value =>
    typeof value === 'string' ? value.slice(0, MAX_ERROR_LENGTH) : ''
  );
  return { status: 'error', ename, evalue };
}
