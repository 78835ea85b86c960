/**
 * A whole notebook through time: its moments, which of them is on show, and the notebook as it
 * was then. Behind the last moment there is one more position, now.
 *
 * What must hold:
 * - It asks for nothing while nobody looks, and for one state of the notebook at a time: who
 *   drags through a thousand moments doesn't ask for a thousand.
 * - The moment that is on show stays on show while the notebook goes on.
 * - A cell is brought back under its own id and where it stood, in one undo step.
 */
import { IDisposable } from '@lumino/disposable';
import { ISignal, Signal } from '@lumino/signaling';

import type {
  Moment,
  NotebookSnapshot,
  Report,
  TimelineCell
} from '../../../api/types';
import type { IHistory } from '../../../tokens';
import { placesOf } from './activity';
import { IFailure, toFailure } from '../../../state/failure';
import { IPast, before, held } from './deletedCells';
import { NotebookStates } from './states';
import { Throttle } from '../../../state/throttle';
import { ReplayPlayer } from '../player';
import type { IReplaySubject, SubjectChange } from '../subject';

export class NotebookTimeline implements IDisposable {
  constructor(options: { subject: IReplaySubject; history: IHistory }) {
    this._subject = options.subject;
    this._history = options.history;
    this._history.changed.connect(this._onHistoryChanged, this);
    this._subject.changed.connect(this._onSubjectChanged, this);
    this.player.changed.connect(this._onMoved, this);
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
      this._giveUp();
    } else if (this._isStale || this._shownId !== this._subject.notebookId) {
      void this._throttle.runNow();
    }
  }

  /** What happened, oldest first; nothing while another notebook's is still awaited. */
  get moments(): readonly Moment[] {
    return this._isOfNow ? this._moments : [];
  }

  /** For each moment its place on the line of work, from 0 to below 1. */
  get places(): readonly number[] {
    return this._isOfNow ? this._places : [];
  }

  /** The number of the moment on show; that of all moments for now. */
  get position(): number {
    return Math.min(this.player.position, this.moments.length);
  }

  get isNow(): boolean {
    return this.position >= this.moments.length;
  }

  get moment(): Moment | null {
    return this.moments[this.position] ?? null;
  }

  /** The notebook as it was at a moment: that on show, or until it is there the one before. */
  get then(): NotebookSnapshot | null {
    return this.isNow ? null : this._then;
  }

  /** How much of the notebook is the model's and how much a person's; null till it is known. */
  get report(): Report | null {
    return this._isOfNow ? this._report : null;
  }

  get isLoading(): boolean {
    return this._abort !== null || this._asking !== null;
  }

  get error(): IFailure | null {
    return this._error;
  }

  /** What is known of a cell. */
  cell(cellId: string): TimelineCell | null {
    return this._cells.get(cellId) ?? null;
  }

  goToNow(): void {
    this.player.goTo(this.moments.length);
  }

  /** Ask again. */
  refresh(): void {
    this._version = null;
    void this._throttle.runNow();
  }

  /**
   * Bring a cell back that is no longer in the notebook: as it is on show, else as it was last.
   * Whether that was done.
   */
  async bringBack(cellId: string): Promise<boolean> {
    const { notebookId } = this._subject;
    if (notebookId === null || !this._subject.canBringBack) {
      return false;
    }
    const past = this._past(notebookId);
    const found = await held(past, cellId);
    const above = await before(past, cellId);
    const isSame = this._subject.notebookId === notebookId;
    return (
      !!found &&
      isSame &&
      this._subject.bringBack(
        { id: cellId, type: found.type, source: found.source },
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

  private get _isOfNow(): boolean {
    return this._shownId !== null && this._shownId === this._subject.notebookId;
  }

  /** Wait for no answer that is on its way. */
  private _giveUp(): void {
    this._isStale ||= this._abort !== null;
    this._abort?.abort();
    this._asking?.abort();
    this._abort = this._asking = null;
  }

  private async _load(): Promise<void> {
    const { notebookId } = this._subject;
    this._giveUp();
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
      const found = await this._history.timeline(notebookId, abort.signal);
      if (abort.signal.aborted) {
        return;
      }
      this._error = null;
      this._take(notebookId, found.version, found.moments, found.cells);
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

  private _take(
    notebookId: string,
    version: string,
    moments: readonly Moment[],
    cells: readonly TimelineCell[]
  ): void {
    if (version === this._version && notebookId === this._shownId) {
      return;
    }
    const isOther = notebookId !== this._shownId;
    const shown = isOther ? null : this.moment;
    this._shownId = notebookId;
    this._version = version;
    this._moments = moments;
    this._places = placesOf(moments);
    this._cells = new Map(cells.map(cell => [cell.cellId, cell]));
    this._states = new NotebookStates(this._history, notebookId, version);
    const length = moments.length ? moments.length + 1 : 0;
    if (isOther) {
      this._then = this._report = null;
      this.player.reset(length, length - 1);
      return;
    }
    this.player.grow(length);
    const at = shown ? placeOf(moments, shown) : -1;
    if (at >= 0 && at !== this.player.position && !this.player.isPlaying) {
      this.player.goTo(at);
    }
  }

  private async _loadReport(notebookId: string): Promise<void> {
    const version = this._version;
    if (version === this._reported || !this._moments.length) {
      return;
    }
    this._reported = version;
    try {
      const report = await this._history.report(notebookId);
      if (notebookId === this._shownId) {
        this._report = report;
        this._changed.emit();
      }
    } catch {
      this._reported = null; // Told by none: it is tried again with what comes next.
    }
  }

  /** Show the notebook as it was at the moment on show. */
  private async _show(): Promise<void> {
    const { moment, _states: states } = this;
    if (!moment || !states || !this._isActive) {
      return;
    }
    const { index } = moment;
    const known = states.known(index);
    if (known) {
      this._then = known;
      return;
    }
    if (this._asking) {
      return; // What is on show when the answer comes is asked for next.
    }
    const asking = (this._asking = new AbortController());
    try {
      const then = await states.at(index, asking.signal);
      if (!asking.signal.aborted) {
        this._then = then;
        this._error = null;
      }
    } catch (reason) {
      if (!asking.signal.aborted) {
        this._error = toFailure(reason);
      }
    }
    if (asking.signal.aborted) {
      return;
    }
    this._asking = null;
    this._changed.emit();
    if (this.moment && this.moment.index !== index && !this._error) {
      void this._show();
    }
  }

  private _past(notebookId: string): IPast {
    const { moments, then: shown, _history: history, _states: states } = this;
    return {
      moments,
      shown,
      at: index => states!.at(index),
      steps: async cellId =>
        (await history.replay({ notebookId, cellId })).steps,
      typeOf: cellId => this.cell(cellId)?.type
    };
  }

  private _onMoved(): void {
    if (this._isDisposed) {
      return;
    }
    void this._show();
    this._changed.emit();
  }

  private _onHistoryChanged(_: IHistory, key: { notebookId: string }): void {
    if (key.notebookId !== this._subject.notebookId) {
      this._isStale ||= key.notebookId === this._shownId;
    } else if (!this._isActive) {
      this._isStale = true;
    } else {
      this._throttle.trigger(); // A run of many cells tells of each of them.
    }
  }

  private _onSubjectChanged(_: IReplaySubject, change: SubjectChange): void {
    const isOther = this._subject.notebookId !== this._askedId;
    this._askedId = this._subject.notebookId;
    if (change === 'where' && isOther && this._isActive) {
      void this._throttle.runNow();
    }
  }

  private readonly _history: IHistory;
  private readonly _subject: IReplaySubject;
  private readonly _throttle = new Throttle(() => this._load());
  private _abort: AbortController | null = null;
  private _askedId: string | null = null;
  private _asking: AbortController | null = null;
  private _cells: ReadonlyMap<string, TimelineCell> = new Map();
  private _changed = new Signal<this, void>(this);
  private _error: IFailure | null = null;
  private _isActive = false;
  private _isDisposed = false;
  private _isStale = true;
  private _moments: readonly Moment[] = [];
  private _places: readonly number[] = [];
  private _report: Report | null = null;
  private _reported: string | null = null;
  private _shownId: string | null = null;
  private _states: NotebookStates | null = null;
  private _then: NotebookSnapshot | null = null;
  private _version: string | null = null;
}

/** Where a moment of a timeline is in a newer one; -1 if it can't be told. */
function placeOf(moments: readonly Moment[], wanted: Moment): number {
  const isSame = (moment?: Moment) =>
    moment?.cellId === wanted.cellId &&
    moment.step === wanted.step &&
    moment.kind === wanted.kind &&
    moment.timestamp === wanted.timestamp;
  return isSame(moments[wanted.index])
    ? wanted.index
    : moments.findIndex(isSame);
}
