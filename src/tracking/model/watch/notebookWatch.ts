/**
 * Watches one open notebook, and records the changes of its cells in order.
 *
 * Invariants:
 * - Edits are captured before a run, a request, a save, an operation on cells and a change by another
 *   writer, and when the page is left; never for each keystroke. Each edit has one contributor (P40).
 * - The exact source is captured. A source that equals the last recorded one is not recorded again,
 *   whoever recorded it (Accept and Restore record themselves).
 * - Each page records its own changes. Changes that no page records (an agent's edits in a shared
 *   notebook) are recorded by one of the pages.
 */
import type { YNotebook } from '@jupyter/ydoc';
import type { NotebookPanel } from '@jupyterlab/notebook';
import { Signal } from '@lumino/signaling';

import type { PlacedCell, SessionSummary } from '../../../api/types';
import type { INotebookChange, IRecording } from '../../../tokens';
import { IExplanations, Writers } from '../contributors/writers';
import { ReplacedCell } from '../contributors/replacedCell';
import {
  CellOperation,
  ICellState,
  IOrigin,
  detectOperations
} from '../lineage';
import { toCellType } from '../../../cells/context';
import { UnclaimedDeletions } from './unclaimedDeletions';
import { Origins, ISource } from './origins';
import { IStep, Mirror, neighbours } from './mirror';
import { WatchChanges } from './changes';
import { Scope, WatchRecord } from './record';
import { IRun, Runs } from '../runs/runs';
import {
  CHANGED_OUTSIDE,
  INITIAL_WRITER,
  CellWrite,
  createEdits,
  createStepEvents
} from './edits';
import { Trigger, createEvent, savedStateOf } from './events';

export interface IWatchOptions {
  panel: NotebookPanel;
  notebookId: string;
  scope: Scope;
  /** The existing sessions of the notebook. */
  summaries: readonly SessionSummary[];
  origins: Origins;
  /** Sources that explain changes in the page. */
  explanations: IExplanations;
  /** Receives the changes, in order; a promise if a change is not complete yet. */
  push: (change: INotebookChange | Promise<INotebookChange>) => void;
  /** Whether the deletion of a cell is recorded. */
  isDeleted: (cellId: string) => Promise<boolean>;
  /** Creates a preview of a run's outputs; null if there is none. */
  preview: (run: IRun) => Promise<object | null>;
}

export class NotebookWatch implements ISource {
  constructor(private readonly _options: IWatchOptions) {
    const { panel, summaries } = _options;
    this.notebookId = _options.notebookId;
    this.notebook = panel.content;
    this._recorded = new WatchRecord(_options.scope, summaries);
    const shared = panel.context.model.sharedModel as YNotebook;
    const writers = (this._writers = new Writers(
      shared,
      _options.explanations
    ));
    this._mirror = new Mirror(shared, {
      isTyping: transaction => writers.isTyping(transaction),
      writerOf: (transaction, isReload) => writers.of(transaction, isReload),
      beforeProgram: () => _options.origins.capture(),
      onStep: step => this._onStep(step),
      onRemoteStep: step => {
        this._changes.skipOrder();
        this._unclaimed.add(step);
      },
      onRemote: id => this._onRemote(id),
      onReplaced: (id, source, writer) =>
        this._recordEdits([[id, source, writer]], 'leave')
    });
    this._changes = new WatchChanges(_options.push, () => this._order());
    this._unclaimed = new UnclaimedDeletions({
      has: id => this._mirror.has(id),
      isRecorded: _options.isDeleted,
      record: (deleted, step) => {
        this._changes.skipOrder(step.before.map(toPlacedCell));
        this._recordStep(deleted, step, 'leave');
      }
    });
    this._runs = new Runs({
      panel,
      onScheduled: id => {
        this.capture('run');
        this._sourcesAtRun.set(id, this._recorded.lastSource.get(id));
      },
      onEnded: run => this._onRun(run)
    });
    panel.context.saveState.connect(this._onSave, this);
    panel.content.activeCellChanged.connect(this._onActiveCellChanged, this);
    this._recordInitialState(summaries);
  }

  readonly notebookId: string;
  readonly notebook: NotebookPanel['content'];

  dispose(): void {
    this._isDisposed = true;
    clearTimeout(this._remoteTimer);
    this._unclaimed.dispose();
    this._mirror.dispose();
    this._writers.dispose();
    this._runs.dispose();
    Signal.clearData(this);
  }

  /** Record all unrecorded edits. */
  capture(trigger: Trigger): void {
    const edited = this._mirror.takeEdits();
    this._recordEdits(
      edited.map(([id, by]) => [id, this._mirror.read(id)?.source ?? null, by]),
      trigger
    );
  }

  /** Record edits of a client that records nothing, before a page takes them for its own. */
  private _onRemote(id: string): void {
    this._remoteEdits.add(id);
    clearTimeout(this._remoteTimer);
    this._remoteTimer = window.setTimeout(() => {
      this._remoteEdits.forEach(cellId => this._recordCell(cellId));
      this._remoteEdits.clear();
    }, REMOTE_MS);
  }

  /** Record the unrecorded edit of a cell. */
  private _recordCell(cellId: string): void {
    const writer = this._mirror.takeWriter(cellId);
    const state = writer && this._mirror.read(cellId);
    if (state) {
      this._recordEdits([[cellId, state.source, writer]], 'leave');
    }
  }

  /** Handle events of a cell that are recorded separately, such as Accept and Restore. */
  onRecording({ key, events }: IRecording): void {
    if (key.notebookId !== this.notebookId) {
      return;
    }
    if (!events.some(({ type }) => WRITE_EVENTS.has(type))) {
      // Text typed before a rejection is a separate edit.
      this._recordCell(key.cellId);
    }
    this._recorded.add(key.cellId, events);
    this._changes.mention(key.cellId);
    // After those events: a save of another page must take them into account.
    void Promise.resolve().then(() => {
      if (!this._isDisposed) {
        this._changes.pushMentioned();
      }
    });
  }

  /** Mark a cell as one with a turn, which is watched with any scope. */
  addTurn(cellId: string): void {
    if (this._recorded.withTurn.has(cellId)) {
      return;
    }
    this._recorded.withTurn.add(cellId);
    this._recorded.withSession.add(cellId);
    const state = this._mirror.read(cellId);
    if (state && this._recorded.lastSource.get(cellId) === undefined) {
      this._recorded.lastSource.set(cellId, state.source); // The turn recorded it.
    }
  }

  /** Whether this cell is watched only if it has a turn, and none is known yet. */
  needsTurnCheck(cellId: string): boolean {
    return (
      !this._recorded.withTurn.has(cellId) && !this._recorded.watches(cellId)
    );
  }

  /** A current or deleted cell. */
  find(id: string): ICellState | null {
    return this._mirror.read(id) ?? this._deleted.get(id) ?? null;
  }

  /** Record the sources of all cells that differ from the record. */
  private _recordInitialState(summaries: readonly SessionSummary[]): void {
    const recorded = new Set(summaries.map(({ cellId }) => cellId));
    const writes = this._mirror.cells.map(({ id, source }): CellWrite => {
      // A cell with a session may have been changed outside of JupyterLab.
      return [id, source, recorded.has(id) ? CHANGED_OUTSIDE : INITIAL_WRITER];
    });
    const { cells } = createEdits(this._recorded, writes, 'first');
    this._changes.pushInitial(cells);
  }

  private _recordEdits(writes: readonly CellWrite[], trigger: Trigger): void {
    const { cells, pending } = createEdits(this._recorded, writes, trigger);
    if (cells.length) {
      this._changes.push({ cells }, pending);
    }
  }

  private _onStep(step: IStep): void {
    const before = new Map(step.before.map(cell => [cell.id, cell]));
    const operations = detectOperations(step.before, step.after, {
      recreated: step.recreated,
      existedBefore: id =>
        this._deleted.has(id) || this._recorded.withSession.has(id),
      originOf: (cell, index) => this._originOf(cell, index, step)
    });
    const kinds = new Set(operations.map(({ kind }) => kind));
    const trigger = kinds.has('split')
      ? 'split'
      : kinds.has('copy')
        ? 'paste'
        : 'leave';
    this._recordEdits(
      step.edited.map(([id, by]) => [id, before.get(id)?.source ?? null, by]),
      trigger
    );
    this._replaced.update(operations, step.writer);
    step.after.forEach(cell => this._deleted.delete(cell.id));
    for (const cell of step.before) {
      if (!this._mirror.has(cell.id)) {
        this._deleted.set(cell.id, cell);
      }
    }
    this._recordStep(operations, step, trigger);
  }

  private _originOf(
    cell: ICellState,
    index: number,
    step: IStep
  ): IOrigin | null {
    const { notebookId, _deleted: deleted, _replaced: replaced } = this;
    const origin = this._options.origins.of(
      cell,
      this,
      neighbours(step, index)
    );
    const cellId = origin
      ? null
      : replaced.of(cell, index, step.writer, deleted);
    return cellId ? { notebookId, cellId } : origin;
  }

  private _recordStep(
    operations: readonly CellOperation[],
    step: IStep,
    trigger: Trigger
  ): void {
    const { notebookId, _recorded: record } = this;
    const { cells, pending } = createStepEvents(record, operations, step, {
      notebookId,
      trigger
    });
    this._changes.pushStep(cells, pending);
  }

  private _onRun(run: IRun): void {
    const { cellId, source } = run;
    if (!this._recorded.watches(cellId)) {
      return;
    }
    this._recorded.withSession.add(cellId);
    // Omit the source if a newer one was recorded while the cell ran.
    const isLatest =
      this._sourcesAtRun.get(cellId) === this._recorded.lastSource.get(cellId);
    const event = createEvent('run', isLatest ? source : undefined, {
      ...run.data
    });
    if (isLatest) {
      this._recorded.lastSource.set(cellId, source);
    }
    const change = { cells: [{ cellId, events: [event] }] };
    const preview = this._options.preview(run).then(outputs => {
      if (outputs) {
        event.data = { ...event.data, outputs };
      }
    });
    this._changes.push(change, run.model ? [preview] : []);
  }

  private _onSave(_: unknown, state: string): void {
    if (state === 'started') {
      this.capture('save');
      const sources = this._mirror.cells.map(
        ({ id, source }) => [id, source] as const
      );
      this._changes.beginSave(savedStateOf(new Map(sources), this._order()));
    } else if (state === 'completed') {
      this._changes.endSave(!!this._options.panel.context.model?.collaborative);
    }
  }

  /** Capture edits of a shared notebook, which the server saves without a signal. */
  private _onActiveCellChanged(): void {
    if (this._options.panel.context.model?.collaborative) {
      this.capture('leave');
    }
  }

  private _order(): PlacedCell[] {
    return this._mirror.order.map(toPlacedCell);
  }

  private readonly _writers: Writers;
  private readonly _mirror: Mirror;
  private readonly _changes: WatchChanges;
  private readonly _unclaimed: UnclaimedDeletions;
  private readonly _runs: Runs;
  private readonly _recorded: WatchRecord;
  /** The deleted cells with their last source, because undo may restore them. */
  private readonly _deleted = new Map<string, ICellState>();
  private readonly _replaced = new ReplacedCell();
  /** Cells that were changed by clients which record nothing. */
  private readonly _remoteEdits = new Set<string>();
  private _remoteTimer = 0;
  /** The last recorded source of each cell when its run was scheduled. */
  private readonly _sourcesAtRun = new Map<string, string | undefined>();
  private _isDisposed = false;
}

function toPlacedCell({ id, type }: { id: string; type: string }): PlacedCell {
  return { id, type: toCellType(type) };
}

/** Pause after which edits of a streaming agent are recorded, in milliseconds. */
const REMOTE_MS = 300;

/**
 * Events that are recorded after AI Server wrote into the cell. An `edit` is an accepted suggestion
 * whose turn could not be saved.
 */
const WRITE_EVENTS: ReadonlySet<string> = new Set([
  'accept',
  'edit',
  'restore'
]);
