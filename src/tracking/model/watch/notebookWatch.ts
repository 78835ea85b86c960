/**
 * Watches one open notebook, and records the changes of its cells in order.
 *
 * Invariants:
 * - Edits are captured before a run, a request, a save, an operation on cells and a change by
 *   another writer, and when the person leaves the page; never for each keystroke. Each edit has
 *   one contributor.
 * - The exact source is captured. A source that equals the last recorded one is not recorded again,
 *   even if other code recorded it (Accept and Restore record their own events).
 * - Each page records the changes that are made in it. Changes that are made in no page, such as an
 *   agent's edits in a shared notebook, are recorded by one of the pages.
 */
import type { YNotebook } from '@jupyter/ydoc';
import type { NotebookPanel } from '@jupyterlab/notebook';
import { Signal } from '@lumino/signaling';

import type { PlacedCell, SessionSummary } from '../../../api/types';
import type { INotebookChange, IRecording } from '../../../tokens';
import { ICauseDetectors, Writers } from '../contributors/writers';
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
import { ICellListChange, Mirror, neighbours } from './mirror';
import { WatchChanges } from './changes';
import { Scope, RecordedState } from './recordedState';
import { IRun, Runs } from '../runs/runs';
import {
  CHANGED_OUTSIDE,
  INITIAL_WRITER,
  CellWrite,
  createEdits,
  createListChangeEvents
} from './edits';
import { Trigger, createEvent, savedStateOf } from './events';

export interface IWatchOptions {
  panel: NotebookPanel;
  notebookId: string;
  scope: Scope;
  /** The existing sessions of the notebook. */
  summaries: readonly SessionSummary[];
  origins: Origins;
  /** Detect the causes of changes in the page. */
  causeDetectors: ICauseDetectors;
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
    this._recorded = new RecordedState(_options.scope, summaries);
    const shared = panel.context.model.sharedModel as YNotebook;
    const writers = (this._writers = new Writers(
      shared,
      _options.causeDetectors
    ));
    this._mirror = new Mirror(shared, {
      isTyping: transaction => writers.isTyping(transaction),
      writerOf: (transaction, isReload) => writers.of(transaction, isReload),
      beforeProgram: () => _options.origins.capture(),
      onListChange: listChange => this._onListChange(listChange),
      onRemoteListChange: listChange => {
        this._changes.setRecordedOrder();
        this._unclaimed.add(listChange);
      },
      onRemote: id => this._onRemote(id),
      onReplaced: (id, source, writer) =>
        this._recordEdits([[id, source, writer]], 'leave')
    });
    this._changes = new WatchChanges(_options.push, () => this._order());
    this._unclaimed = new UnclaimedDeletions({
      has: id => this._mirror.has(id),
      isRecorded: _options.isDeleted,
      record: (deleted, listChange) => {
        this._changes.setRecordedOrder(listChange.before.map(toPlacedCell));
        this._recordListChange(deleted, listChange, 'leave');
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

  /**
   * Record, after a pause in the edits, a cell that was edited by a remote client which records
   * nothing. Otherwise a page would record the edits later as a part of its own.
   */
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
      // AI Server didn't change the source, so an unrecorded edit is the person's: record it.
      this._recordCell(key.cellId);
    }
    this._recorded.add(key.cellId, events);
    this._changes.includeCell(key.cellId);
    // Push after the caller has queued its events, so that a save of another page is compared with
    // them.
    void Promise.resolve().then(() => {
      if (!this._isDisposed) {
        this._changes.pushIncludedCells();
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
      this._recorded.lastSource.set(cellId, state.source); // The turn recorded this source.
    }
  }

  /** Whether this cell isn't watched because this page knows of no turn of the cell yet. */
  needsTurnCheck(cellId: string): boolean {
    return (
      !this._recorded.withTurn.has(cellId) && !this._recorded.isWatched(cellId)
    );
  }

  /** The state of a current or deleted cell; null if no cell has this id. */
  find(id: string): ICellState | null {
    return this._mirror.read(id) ?? this._deleted.get(id) ?? null;
  }

  /** Record the sources of all cells whose source isn't recorded yet. */
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

  private _onListChange(listChange: ICellListChange): void {
    const before = new Map(listChange.before.map(cell => [cell.id, cell]));
    const operations = detectOperations(listChange.before, listChange.after, {
      recreated: listChange.recreated,
      existedBefore: id =>
        this._deleted.has(id) || this._recorded.withSession.has(id),
      originOf: (cell, index) => this._originOf(cell, index, listChange)
    });
    const kinds = new Set(operations.map(({ kind }) => kind));
    const trigger = kinds.has('split')
      ? 'split'
      : kinds.has('copy')
        ? 'paste'
        : 'leave';
    this._recordEdits(
      listChange.edited.map(([id, by]) => [
        id,
        before.get(id)?.source ?? null,
        by
      ]),
      trigger
    );
    this._replaced.update(operations, listChange.writer);
    listChange.after.forEach(cell => this._deleted.delete(cell.id));
    for (const cell of listChange.before) {
      if (!this._mirror.has(cell.id)) {
        this._deleted.set(cell.id, cell);
      }
    }
    this._recordListChange(operations, listChange, trigger);
  }

  private _originOf(
    cell: ICellState,
    index: number,
    listChange: ICellListChange
  ): IOrigin | null {
    const { notebookId, _deleted: deleted, _replaced: replaced } = this;
    const origin = this._options.origins.of(
      cell,
      this,
      neighbours(listChange, index)
    );
    const cellId = origin
      ? null
      : replaced.findFor(cell, index, listChange.writer, deleted);
    return cellId ? { notebookId, cellId } : origin;
  }

  private _recordListChange(
    operations: readonly CellOperation[],
    listChange: ICellListChange,
    trigger: Trigger
  ): void {
    const { notebookId, _recorded: record } = this;
    const { cells, pending } = createListChangeEvents(
      record,
      operations,
      listChange,
      {
        notebookId,
        trigger
      }
    );
    this._changes.pushListChange(cells, pending);
  }

  private _onRun(run: IRun): void {
    const { cellId, source } = run;
    if (!this._recorded.isWatched(cellId)) {
      return;
    }
    this._recorded.withSession.add(cellId);
    // Omit the source if a newer source was recorded while the cell ran.
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

  /**
   * Capture the edits when the person moves to another cell of a shared notebook, because the
   * server saves such a notebook itself, and the page gets no signal before.
   */
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
  private readonly _recorded: RecordedState;
  /** The deleted cells with their last source, because undo may restore them. */
  private readonly _deleted = new Map<string, ICellState>();
  private readonly _replaced = new ReplacedCell();
  /** The cells that were changed by remote clients which record nothing. */
  private readonly _remoteEdits = new Set<string>();
  private _remoteTimer = 0;
  /** The last recorded source of each cell when its run was scheduled. */
  private readonly _sourcesAtRun = new Map<string, string | undefined>();
  private _isDisposed = false;
}

function toPlacedCell({ id, type }: { id: string; type: string }): PlacedCell {
  return { id, type: toCellType(type) };
}

/** Pause in a remote client's edits after which they are recorded, in milliseconds. */
const REMOTE_MS = 300;

/**
 * Types of the events that are recorded separately after AI Server wrote into the cell. Here, an
 * `edit` is an accepted suggestion whose turn could not be saved.
 */
const WRITE_EVENTS: ReadonlySet<string> = new Set([
  'accept',
  'edit',
  'restore'
]);
