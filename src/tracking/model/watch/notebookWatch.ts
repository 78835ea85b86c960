/**
 * Watches one open notebook, and records the changes of its cells in order.
 *
 * Invariants:
 * - Edits are not recorded for each keystroke, but before a run, a request to a model, a save, an
 *   operation on cells and a change by another writer; also when the person leaves the page or, in a
 *   shared notebook, moves to another cell.
 * - Each recorded edit has one contributor and the exact source of the cell.
 * - A source that equals the last recorded one is not recorded again. This includes the sources that
 *   Accept and Restore have recorded in events of their own.
 * - Each page records the changes that are made in it. A change made in no page, such as an agent's
 *   edit in a shared notebook, is recorded by one of the pages.
 */
import type { YNotebook } from '@jupyter/ydoc';
import type { NotebookPanel } from '@jupyterlab/notebook';
import { Signal } from '@lumino/signaling';

import type { PlacedCell, SessionSummary } from '../../../api/types';
import type {
  ICellDeletion,
  INotebookChange,
  IQueuedEvents
} from '../../../tokens';
import { UNKNOWN } from '../../../records/contributor';
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
import { Origins, IOriginNotebook } from './origins';
import { ICellListChange, Mirror, neighboursOf } from './mirror';
import { RemoteEdits } from './remoteEdits';
import { ChangePusher } from './changes';
import { Scope, RecordedState } from './recordedState';
import { IRun, Runs } from '../runs/runs';
import {
  OUTSIDE_WRITER,
  INITIAL_WRITER,
  CellWrite,
  createEdits,
  createListChangeEvents,
  setAuthor
} from './edits';
import {
  OWN_WRITE_EVENTS,
  Trigger,
  createEvent,
  createSavedState
} from './events';

export interface IWatchOptions {
  panel: NotebookPanel;
  notebookId: string;
  scope: Scope;
  summaries: readonly SessionSummary[];
  origins: Origins;
  causeDetectors: ICauseDetectors;
  /** Called with each change, in order. An incomplete one is a promise. */
  push: (change: INotebookChange | Promise<INotebookChange>) => void;
  isDeletionRecorded: (cellId: string) => Promise<boolean>;
  /** Called after cells were deleted, if this page records it. */
  onDeletion: (deletion: ICellDeletion) => void;
  /** Resolves to null if there is nothing to show. */
  createPreview: (run: IRun) => Promise<object | null>;
}

export class NotebookWatch implements IOriginNotebook {
  constructor(private readonly _options: IWatchOptions) {
    const { panel, scope, summaries } = _options;
    this.notebookId = _options.notebookId;
    this.notebook = panel.content;
    this._recorded = new RecordedState(scope, summaries);
    const shared = panel.context.model.sharedModel as YNotebook;
    this._writers = new Writers(shared, _options.causeDetectors);
    this._mirror = new Mirror(shared, {
      writers: this._writers,
      beforeUntypedChange: () => _options.origins.captureClipboard(),
      onListChange: listChange => this._onListChange(listChange),
      onRemoteListChange: listChange => {
        // Another page records the new order of the cells.
        this._changes.markOrderRecorded();
        this._unclaimedDeletions.add(listChange);
      },
      onRemoteEdit: id => this._remoteEdits.add(id),
      onEditComplete: (id, source, writer) =>
        this._recordEdits([[id, source, writer]], 'leave')
    });
    this._changes = new ChangePusher(_options.push, () => this._order());
    this._unclaimedDeletions = new UnclaimedDeletions({
      has: id => this._mirror.has(id),
      isRecorded: _options.isDeletionRecorded,
      record: (deletions, listChange) => {
        // Mark the order before the deletions, so that the new one is pushed.
        this._changes.markOrderRecorded(listChange.before.map(toPlacedCell));
        this._recordListChange(deletions, listChange, 'leave');
      }
    });
    this._runs = new Runs({
      panel,
      onScheduled: id => {
        this.capture('run');
        this._recordedSourceAtRun.set(id, this._recorded.lastSource.get(id));
      },
      onEnded: run => this._onRunEnded(run)
    });
    panel.context.saveState.connect(this._onSave, this);
    panel.content.activeCellChanged.connect(this._onActiveCellChanged, this);
    this._recordInitialState();
  }

  readonly notebookId: string;
  readonly notebook: NotebookPanel['content'];

  dispose(): void {
    this._isDisposed = true;
    this._changes.endSave(false);
    this._remoteEdits.dispose();
    this._unclaimedDeletions.dispose();
    this._mirror.dispose();
    this._writers.dispose();
    this._runs.dispose();
    Signal.clearData(this);
  }

  capture(trigger: Trigger): void {
    const edited = this._mirror.takeEdits();
    this._recordEdits(
      edited.map(([id, writer]) => [
        id,
        this._mirror.read(id)?.source ?? null,
        writer
      ]),
      trigger
    );
  }

  /** Record all unrecorded edits without waiting for a save, because the page may be closed. */
  captureBeforeClose(): void {
    this._changes.endSave(false);
    this.capture('leave');
  }

  private _recordEdit(cellId: string): void {
    const writer = this._mirror.takeEdit(cellId);
    const state = writer && this._mirror.read(cellId);
    if (state) {
      this._recordEdits([[cellId, state.source, writer]], 'leave');
    }
  }

  /** Handle events of other features, such as those of Accept and Restore. */
  onEventsQueued({ key, events }: IQueuedEvents): void {
    if (key.notebookId !== this.notebookId) {
      return;
    }
    if (!events.some(({ type }) => OWN_WRITE_EVENTS.has(type))) {
      // None of these events contains the unrecorded edit, which comes before them.
      this._recordEdit(key.cellId);
    }
    this._recorded.addEvents(key.cellId, events);
    this._changes.includeCell(key.cellId);
    // The caller queues its events after this signal handler. Push the cell after that, so that the
    // server gets it after them.
    void Promise.resolve().then(() => {
      if (!this._isDisposed) {
        this._changes.pushIncludedCells();
      }
    });
  }

  /** Cells with a turn are watched in every scope. */
  addTurn(cellId: string): void {
    if (this._recorded.withTurn.has(cellId)) {
      return;
    }
    this._recorded.withTurn.add(cellId);
    this._recorded.withSession.add(cellId);
    const state = this._mirror.read(cellId);
    if (state && this._recorded.lastSource.get(cellId) === undefined) {
      // The turn contains the source that the cell had.
      this._recorded.lastSource.set(cellId, state.source);
    }
  }

  /**
   * Run a function that writes into these cells, or deletes them, and record the cells before and
   * after it. They, and the cells that it inserts, are watched from now on in every scope.
   */
  recordWrite<T>(cellIds: readonly string[], write: () => T): T {
    const unwatched = cellIds.filter(id => !this._recorded.isWatched(id));
    unwatched.forEach(id => this._recorded.withTurn.add(id));
    this._recordEdits(this._initialWrites(unwatched), 'first');
    const result = write();
    const edits = cellIds.map((id): CellWrite | null => {
      const writer = this._mirror.takeEdit(id);
      return writer && [id, this._mirror.read(id)?.source ?? null, writer];
    });
    this._recordEdits(
      edits.filter(edit => edit !== null),
      'leave'
    );
    return result;
  }

  /** Only unwatched cells need this check. */
  needsTurnCheck(cellId: string): boolean {
    return !this._recorded.isWatched(cellId);
  }

  find(id: string): ICellState | null {
    return this._mirror.read(id) ?? this._deletedById.get(id) ?? null;
  }

  private _recordInitialState(): void {
    const writes = this._initialWrites(this._mirror.order.map(({ id }) => id));
    const { cells } = createEdits(this._recorded, writes, 'first');
    this._changes.pushInitial(cells);
  }

  private _initialWrites(cellIds: readonly string[]): CellWrite[] {
    const { withSession } = this._recorded;
    return cellIds.map(id => {
      // A cell with a session may have been changed outside of JupyterLab.
      const writer = withSession.has(id) ? OUTSIDE_WRITER : INITIAL_WRITER;
      return [id, this._mirror.read(id)?.source ?? null, writer];
    });
  }

  private _recordEdits(writes: readonly CellWrite[], trigger: Trigger): void {
    const { cells, pending } = createEdits(this._recorded, writes, trigger);
    if (cells.length) {
      this._changes.push({ cells }, pending);
    }
  }

  private _onListChange(listChange: ICellListChange): void {
    const beforeById = new Map(listChange.before.map(cell => [cell.id, cell]));
    const { author } = listChange.writer;
    const isExact = author !== undefined;
    const operations = detectOperations(listChange.before, listChange.after, {
      recreated: listChange.recreated,
      hasNoSplits: isExact && !author.structure,
      existedBefore: id =>
        this._deletedById.has(id) || this._recorded.withSession.has(id),
      originOf: (cell, index) =>
        isExact ? null : this._originOf(cell, index, listChange)
    });
    const kinds = new Set(operations.map(({ kind }) => kind));
    const trigger = kinds.has('split')
      ? 'split'
      : kinds.has('copy')
        ? 'paste'
        : 'leave';
    this._recordEdits(
      listChange.edited.map(([id, writer]) => [
        id,
        beforeById.get(id)?.source ?? null,
        writer
      ]),
      trigger
    );
    this._replacedCell.update(operations, listChange.writer);
    listChange.after.forEach(cell => this._deletedById.delete(cell.id));
    for (const cell of listChange.before) {
      if (!this._mirror.has(cell.id)) {
        this._deletedById.set(cell.id, cell);
      }
    }
    this._recordListChange(operations, listChange, trigger);
  }

  /** Return the cell that an inserted cell was copied from or replaces, or null. */
  private _originOf(
    cell: ICellState,
    index: number,
    listChange: ICellListChange
  ): IOrigin | null {
    const origin = this._options.origins.findOrigin(
      cell,
      this,
      neighboursOf(listChange, index)
    );
    if (origin) {
      return origin;
    }
    const cellId = this._replacedCell.findFor(
      cell,
      index,
      listChange.writer,
      this._deletedById
    );
    return cellId ? { notebookId: this.notebookId, cellId } : null;
  }

  private _recordListChange(
    operations: readonly CellOperation[],
    listChange: ICellListChange,
    trigger: Trigger
  ): void {
    const { before, removed, writer } = listChange;
    const isDeleted = (cellId: string) =>
      operations.some(item => item.kind === 'delete' && item.id === cellId);
    const deleted = new Map([...removed].filter(([id]) => isDeleted(id)));
    if (deleted.size) {
      const { onDeletion, panel } = this._options;
      const contributor = Promise.resolve(writer.pending).then(
        () => writer.contributor ?? UNKNOWN
      );
      onDeletion({ panel, before, deleted, contributor });
    }
    const { cells, pending } = createListChangeEvents(
      this._recorded,
      operations,
      listChange,
      { notebookId: this.notebookId, trigger }
    );
    this._changes.pushListChange(cells, pending);
  }

  private _onRunEnded(run: IRun): void {
    const { cellId, source } = run;
    if (!this._recorded.isWatched(cellId)) {
      return;
    }
    this._recorded.withSession.add(cellId);
    // If a newer source was recorded while the cell ran, the older one must not become its latest
    // source.
    const isLatestSource =
      this._recordedSourceAtRun.get(cellId) ===
      this._recorded.lastSource.get(cellId);
    const event = createEvent('run', isLatestSource ? source : undefined, {
      ...run.data
    });
    if (run.author) {
      setAuthor(event, run.author, cellId);
    }
    if (isLatestSource) {
      this._recorded.lastSource.set(cellId, source);
    }
    const change = { cells: [{ cellId, events: [event] }] };
    const preview = this._options.createPreview(run).then(outputs => {
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
      // A save of a shared notebook doesn't remove the changes of other pages from the file, so the
      // saved sources needn't be recorded again.
      const isShared = this._options.panel.context.model?.collaborative;
      this._changes.beginSave(
        isShared ? undefined : createSavedState(new Map(sources), this._order())
      );
    } else if (state === 'completed' || state === 'failed') {
      this._changes.endSave(state === 'completed');
    }
  }

  /**
   * The server saves a shared notebook by itself, without a signal beforehand. So record the
   * edits when the person moves to another cell.
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
  private readonly _changes: ChangePusher;
  private readonly _unclaimedDeletions: UnclaimedDeletions;
  private readonly _runs: Runs;
  private readonly _recorded: RecordedState;
  /** The last states of deleted cells, which an undo may restore. */
  private readonly _deletedById = new Map<string, ICellState>();
  private readonly _replacedCell = new ReplacedCell();
  private readonly _remoteEdits = new RemoteEdits(cellId =>
    this._recordEdit(cellId)
  );
  /** The last recorded source of each cell when its run was scheduled. */
  private readonly _recordedSourceAtRun = new Map<string, string | undefined>();
  private _isDisposed = false;
}

function toPlacedCell({ id, type }: { id: string; type: string }): PlacedCell {
  return { id, type: toCellType(type) };
}
