/**
 * Observes the runs of a notebook's cells.
 *
 * Invariants:
 * - A run is reported once, with the cell's source when the run was scheduled. A run that the
 *   kernel dropped because of a restart is reported as aborted.
 * - Cells run one after another, so if a run had to wait for the previous run, its duration is
 *   counted from the end of that run.
 */
import type { Cell, CodeCell, ICodeCellModel } from '@jupyterlab/cells';
import {
  KernelError,
  NotebookActions,
  NotebookPanel
} from '@jupyterlab/notebook';
import { Signal } from '@lumino/signaling';

import { findCell } from '../../../cells/notebookCell';
import { outputsOf } from './outputs';

/** The largest number of recorded characters of an error's name or message. */
const MAX_ERROR_LENGTH = 1000;
const KERNEL_STOPPED = ['restarting', 'autorestarting', 'terminating', 'dead'];

export interface IRunData {
  status: 'ok' | 'error' | 'aborted';
  execution_count: number | null;
  duration_ms: number;
  ename?: string;
  evalue?: string;
}

type Result = Pick<IRunData, 'status' | 'ename' | 'evalue'>;

/** A finished run. */
export interface IRun {
  readonly cellId: string;
  readonly source: string;
  readonly data: IRunData;
  /** The cell's model; null if the run was aborted. */
  readonly model: ICodeCellModel | null;
}

/** A run that was scheduled and hasn't ended. */
interface IPendingRun {
  readonly cell: Cell;
  readonly source: string;
  /** The cell's execution count before the run. */
  readonly countBefore: number | null;
  readonly scheduledAt: number;
}

export interface IRunsOptions {
  panel: NotebookPanel;
  /** Called before a code cell is run, and after a Markdown cell was rendered. */
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
    this._end(id, { status: 'aborted' });
    this._options.onScheduled(id);
    const source = model.sharedModel.getSource();
    if (source.trim()) {
      this._pending.set(id, {
        cell,
        source,
        countBefore: model.executionCount,
        scheduledAt: performance.now()
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
      // A rendered Markdown cell may have unrecorded edits.
      this._options.onScheduled(cell.model?.id ?? '');
      return;
    }
    const { id } = cell.model;
    if (success) {
      this._end(id, { status: 'ok' });
    } else if (error?.errorName) {
      this._end(id, toErrorResult(error.errorName, error.errorValue));
    } else {
      this._end(id, { status: 'aborted' });
    }
  }

  private _onStatus(_: unknown, status: string): void {
    if (KERNEL_STOPPED.includes(status)) {
      [...this._pending.keys()].forEach(id =>
        this._end(id, { status: 'aborted' })
      );
    } else if (status === 'idle') {
      this._checkMovedCells();
    }
  }

  /** End the runs of cells that were moved while running: JupyterLab doesn't report these ends. */
  private _checkMovedCells(): void {
    for (const [id, { cell, countBefore }] of [...this._pending]) {
      // A moved cell gets a new widget, and its old one is disposed.
      const model = cell.isDisposed ? this._model(id) : null;
      if (
        model?.executionState === 'idle' &&
        model.executionCount !== countBefore
      ) {
        const error = outputsOf(model).find(
          output => output.output_type === 'error'
        );
        this._end(
          id,
          error ? toErrorResult(error.ename, error.evalue) : { status: 'ok' }
        );
      }
    }
  }

  private _end(id: string, result: Result): void {
    const pending = this._pending.get(id);
    if (!pending) {
      return;
    }
    this._pending.delete(id);
    const now = performance.now();
    const start = Math.max(pending.scheduledAt, this._lastEnd);
    this._lastEnd = now;
    const model = this._model(id);
    const data: IRunData = {
      ...result,
      execution_count: model?.executionCount ?? null,
      duration_ms: Math.round(now - start)
    };
    this._options.onEnded({
      cellId: id,
      source: pending.source,
      data,
      model: result.status === 'aborted' ? null : model
    });
  }

  private _model(id: string): ICodeCellModel | null {
    const cell = findCell(this._options.panel, id);
    return cell?.model?.type === 'code' ? (cell as CodeCell).model : null;
  }

  private readonly _pending = new Map<string, IPendingRun>();
  private _lastEnd = 0;
}

function toErrorResult(name: unknown, message: unknown): Result {
  const [ename, evalue] = [name, message].map(value =>
    typeof value === 'string' ? value.slice(0, MAX_ERROR_LENGTH) : ''
  );
  return { status: 'error', ename, evalue };
}
