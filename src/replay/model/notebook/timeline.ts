/**
 * The timeline of a notebook: its moments, the current one, and the snapshot after it. The
 * position after the last moment is "now".
 *
 * Invariants:
 * - It sends no requests while inactive, and requests one snapshot at a time: dragging through a
 *   thousand moments does not request a thousand snapshots.
 * - The current moment stays on show while new moments are recorded.
 * - A deleted cell is restored under its own id at its old position, in one undo step.
 */
import { IDisposable } from '@lumino/disposable';
import { ISignal, Signal } from '@lumino/signaling';

import type {
  Moment,
  NotebookSnapshot,
  Report,
  Timeline,
  TimelineCell
} from '../../../api/types';
import type { IHistory } from '../../../tokens';
import { momentPositions } from './activity';
import { IFailure, toFailure } from '../../../state/failure';
import { INotebookPast, cellsAbove, readContent } from './deletedCells';
import { SnapshotCache } from './snapshotCache';
import { Throttle } from '../../../state/throttle';
import { ReplayPlayer } from '../player';
import type { IReplaySubject, SubjectChange } from '../subject';

export class NotebookTimeline implements IDisposable {
  constructor(options: { subject: IReplaySubject; history: IHistory }) {
    this._subject = options.subject;
    this._history = options.history;
    this._history.changed.connect(this._onHistoryChanged, this);
    this._subject.changed.connect(this._onSubjectChanged, this);
    this.player.changed.connect(this._onPositionChanged, this);
  }

  readonly player = new ReplayPlayer();

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  get isActive(): boolean {
    return this._isActive;
  }
  set isActive(value: boolean) {
    if (value === this._isActive || this._isDisposed) {
      return;
    }
    this._isActive = value;
    if (!value) {
      this.player.pause();
      this._isStale = this._throttle.cancel() || this._isStale;
      this._abortRequests();
    } else if (this._isStale || this._shownId !== this._subject.notebookId) {
      void this._throttle.runNow();
    }
  }

  /** The moments, oldest first; empty while those of another notebook are loading. */
  get moments(): readonly Moment[] {
    return this._isCurrent ? this._moments : [];
  }

  /** The position of each moment on the activity chart, from 0 to below 1. */
  get positions(): readonly number[] {
    return this._isCurrent ? this._positions : [];
  }

  /** The index of the current moment; the number of moments at "now". */
  get position(): number {
    return Math.min(this.player.position, this.moments.length);
  }

  get isNow(): boolean {
    return this.position >= this.moments.length;
  }

  get moment(): Moment | null {
    return this.moments[this.position] ?? null;
  }

  /** The snapshot after the current moment, or the previous one while that is loading. */
  get snapshot(): NotebookSnapshot | null {
    return this.isNow ? null : this._snapshot;
  }

  /** The lines by contributor; null until they are loaded. */
  get report(): Report | null {
    return this._isCurrent ? this._report : null;
  }

  get isLoading(): boolean {
    return this._abort !== null || this._snapshotRequest !== null;
  }

  get error(): IFailure | null {
    return this._error;
  }

  /** The cell's entry in the timeline; null if it has none. */
  cell(cellId: string): TimelineCell | null {
    return this._cells.get(cellId) ?? null;
  }

  goToNow(): void {
    this.player.goTo(this.moments.length);
  }

  /** Reload the timeline without delay. */
  refresh(): void {
    this._version = null;
    void this._throttle.runNow();
  }

  /**
   * Restore a deleted cell, with its content in the snapshot on show, else with its last content.
   *
   * @returns Whether the cell was restored.
   */
  async undeleteCell(cellId: string): Promise<boolean> {
    const { notebookId } = this._subject;
    if (notebookId === null || !this._subject.canUndelete) {
      return false;
    }
    const past = this._createPast(notebookId);
    const content = await readContent(past, cellId);
    const above = await cellsAbove(past, cellId);
    const isSameNotebook = this._subject.notebookId === notebookId;
    return (
      !!content &&
      isSameNotebook &&
      this._subject.undeleteCell(
        { id: cellId, type: content.type, source: content.source },
        above
      )
    );
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  dispose(): void {
    if (this._isDisposed) {
      return;
    }
    this.isActive = false;
    this._isDisposed = true;
    this._history.changed.disconnect(this._onHistoryChanged, this);
    this._subject.changed.disconnect(this._onSubjectChanged, this);
    this.player.dispose();
    Signal.clearData(this);
  }

  /** Whether the loaded timeline is that of the current notebook. */
  private get _isCurrent(): boolean {
    return this._shownId !== null && this._shownId === this._subject.notebookId;
  }

  private _abortRequests(): void {
    this._isStale ||= this._abort !== null;
    this._abort?.abort();
    this._snapshotRequest?.abort();
    this._abort = this._snapshotRequest = null;
  }

  private async _load(): Promise<void> {
    const { notebookId } = this._subject;
    this._abortRequests();
    this._isStale = !this._isActive;
    if (!this._isActive) {
      return;
    }
    if (notebookId === null) {
      this._shownId = this._error = null;
      this._changed.emit();
      return;
    }
    const abort = (this._abort = new AbortController());
    this._changed.emit();
    try {
      const timeline = await this._history.timeline(notebookId, abort.signal);
      if (abort.signal.aborted) {
        return;
      }
      this._error = null;
      this._update(notebookId, timeline);
    } catch (reason) {
      if (abort.signal.aborted) {
        return;
      }
      this._error = toFailure(reason);
      this._isStale = true;
    }
    this._abort = null;
    this._changed.emit();
    void this._loadReport(notebookId);
  }

  private _update(
    notebookId: string,
    { version, moments, cells }: Timeline
  ): void {
    if (version === this._version && notebookId === this._shownId) {
      return;
    }
    const isOther = notebookId !== this._shownId;
    const shown = isOther ? null : this.moment;
    this._shownId = notebookId;
    this._version = version;
    this._moments = moments;
    this._positions = momentPositions(moments);
    this._cells = new Map(cells.map(cell => [cell.cellId, cell]));
    this._snapshots = new SnapshotCache(this._history, notebookId, version);
    const length = moments.length ? moments.length + 1 : 0;
    if (isOther) {
      this._snapshot = this._report = null;
      this.player.reset(length, length - 1);
      return;
    }
    this.player.grow(length);
    const index = shown ? findMoment(moments, shown) : -1;
    const isMoved = index >= 0 && index !== this.player.position;
    if (isMoved && !this.player.isPlaying) {
      this.player.goTo(index);
    }
  }

  private async _loadReport(notebookId: string): Promise<void> {
    const version = this._version;
    if (version === this._reportVersion || !this._moments.length) {
      return;
    }
    this._reportVersion = version;
    try {
      const report = await this._history.report(notebookId);
      if (notebookId === this._shownId) {
        this._report = report;
        this._changed.emit();
      }
    } catch {
      this._reportVersion = null; // The next load tries again.
    }
  }

  /** Load the snapshot after the current moment. */
  private async _loadSnapshot(): Promise<void> {
    const { moment, _snapshots: snapshots } = this;
    if (!moment || !snapshots || !this._isActive) {
      return;
    }
    const { index } = moment;
    const cached = snapshots.get(index);
    if (cached) {
      this._snapshot = cached;
      return;
    }
    if (this._snapshotRequest) {
      return; // The moment that is current after the response is requested next.
    }
    const request = (this._snapshotRequest = new AbortController());
    try {
      const snapshot = await snapshots.load(index, request.signal);
      if (!request.signal.aborted) {
        this._snapshot = snapshot;
        this._error = null;
      }
    } catch (reason) {
      if (!request.signal.aborted) {
        this._error = toFailure(reason);
      }
    }
    if (request.signal.aborted) {
      return;
    }
    this._snapshotRequest = null;
    this._changed.emit();
    if (this.moment && this.moment.index !== index && !this._error) {
      void this._loadSnapshot();
    }
  }

  private _createPast(notebookId: string): INotebookPast {
    const {
      moments,
      snapshot: shown,
      _history: history,
      _snapshots: snapshots
    } = this;
    return {
      moments,
      shown,
      load: index => snapshots!.load(index),
      steps: async cellId =>
        (await history.replay({ notebookId, cellId })).steps,
      typeOf: cellId => this.cell(cellId)?.type
    };
  }

  private _onPositionChanged(): void {
    if (this._isDisposed) {
      return;
    }
    void this._loadSnapshot();
    this._changed.emit();
  }

  private _onHistoryChanged(_: IHistory, key: { notebookId: string }): void {
    if (key.notebookId !== this._subject.notebookId) {
      this._isStale ||= key.notebookId === this._shownId;
    } else if (!this._isActive) {
      this._isStale = true;
    } else {
      this._throttle.trigger(); // Running many cells emits a signal for each of them.
    }
  }

  private _onSubjectChanged(_: IReplaySubject, change: SubjectChange): void {
    const isOther = this._subject.notebookId !== this._lastNotebookId;
    this._lastNotebookId = this._subject.notebookId;
    if (change === 'activeCell' && isOther && this._isActive) {
      void this._throttle.runNow();
    }
  }

  private readonly _history: IHistory;
  private readonly _subject: IReplaySubject;
  private readonly _throttle = new Throttle(() => this._load());
  private _abort: AbortController | null = null;
  private _lastNotebookId: string | null = null;
  private _snapshotRequest: AbortController | null = null;
  private _cells: ReadonlyMap<string, TimelineCell> = new Map();
  private _changed = new Signal<this, void>(this);
  private _error: IFailure | null = null;
  private _isActive = false;
  private _isDisposed = false;
  private _isStale = true;
  private _moments: readonly Moment[] = [];
  private _positions: readonly number[] = [];
  private _report: Report | null = null;
  private _reportVersion: string | null = null;
  private _shownId: string | null = null;
  private _snapshots: SnapshotCache | null = null;
  private _snapshot: NotebookSnapshot | null = null;
  private _version: string | null = null;
}

/** The index of a moment in a newer version of the timeline; -1 if it is missing. */
function findMoment(moments: readonly Moment[], moment: Moment): number {
  const isSame = (other?: Moment) =>
    other?.cellId === moment.cellId &&
    other.step === moment.step &&
    other.kind === moment.kind &&
    other.timestamp === moment.timestamp;
  return isSame(moments[moment.index])
    ? moment.index
    : moments.findIndex(isSame);
}
