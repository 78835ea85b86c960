/**
 * The replay's state: which cell is followed, its steps, and what can be done with them.
 *
 * What must hold:
 * - It follows the active cell while active, and asks for nothing while not.
 * - The newest request wins; an older one is aborted, and its answer is never shown.
 * - What is shown stays until the next is there, so that nothing flickers. Whatever is done
 *   is done to the cell that is shown, or not at all.
 */
import { IDisposable } from '@lumino/disposable';
import { ISignal, Signal } from '@lumino/signaling';

import type { ModelInfo, Step } from '../api/types';
import type { ICellKey, IHistory } from '../tokens';
import { ReplayOverview } from './replayOverview';
import { ReplayPlayer } from './replayPlayer';
import type { ICellInfo, IReplaySubject, SubjectChange } from './replaySubject';

/**
 * What there is to show. `idle`: nothing was asked yet · `notebook`: no notebook is open ·
 * `cell`: it has no cell · `history`: no cell of the notebook has a history · `empty`: this
 * cell has none · `failed`: it could not be read · `steps`: it has steps.
 */
export type ReplayPhase =
  'idle' | 'notebook' | 'cell' | 'history' | 'empty' | 'failed' | 'steps';

/** A cell on show: named by its key, described as it was when last seen. */
export interface IShownCell extends ICellKey {
  /** Null for a cell that is no longer in the notebook. */
  readonly info: ICellInfo | null;
  readonly mimeType: string;
}

/** Requests come no closer than this, in milliseconds. */
export const PAUSE_MS = 100;

/** What became of a restore. */
export type RestoreNote = 'restored' | 'unrecorded' | null;

export class ReplayModel implements IDisposable {
  constructor(options: { subject: IReplaySubject; history: IHistory }) {
    this._subject = options.subject;
    this._history = options.history;
    this.overview = new ReplayOverview(options);
    this._subject.changed.connect(this._onSubjectChanged, this);
    this._history.changed.connect(this._onHistoryChanged, this);
    this.player.changed.connect(this._emit, this);
    this.overview.changed.connect(this._emit, this);
  }

  readonly player = new ReplayPlayer();
  readonly overview: ReplayOverview;

  /** Anything that a view shows. */
  get stateChanged(): ISignal<this, void> {
    return this._stateChanged;
  }

  /** Whether somebody looks. */
  get isActive(): boolean {
    return this._isActive;
  }
  set isActive(value: boolean) {
    if (value === this._isActive || this._isDisposed) {
      return;
    }
    this._isActive = value;
    this._subject.isActive = value;
    if (value) {
      void this._loadModels();
    }
    this._wake();
  }

  /** One cell's steps, or all cells. */
  get view(): 'cell' | 'notebook' {
    return this._view;
  }
  set view(value: 'cell' | 'notebook') {
    if (value !== this._view) {
      this._view = value;
      this._wake();
      this._emit();
    }
  }

  get phase(): ReplayPhase {
    return this._phase;
  }

  /** Whether newer steps are on their way. */
  get isLoading(): boolean {
    return this._abort !== null;
  }

  /** A sentence, if the newest request failed. */
  get error(): string | null {
    return this._error;
  }

  get shown(): IShownCell | null {
    return this._shown;
  }

  get steps(): readonly Step[] {
    return this._steps;
  }

  /** The step on show. */
  get step(): Step | null {
    return this._steps[this.player.position] ?? null;
  }

  /** Whether the cell on show is the active one, so that it can be changed. */
  get isFollowing(): boolean {
    return (
      this._shown !== null &&
      this._shown.cellId === this._subject.cell?.id &&
      this._shown.notebookId === this._subject.notebookId
    );
  }

  /** Whether the cell on show holds the step on show. */
  get isInCell(): boolean {
    return this.isFollowing && this.step?.code === this._subject.source;
  }

  /** Whether the cell holds what no step left there: a person has changed it since. */
  get isEditedSince(): boolean {
    const last = this._steps[this._steps.length - 1];
    return this.isFollowing && !!last && after(last) !== this._subject.source;
  }

  /** Whether code can be put into the cell on show. */
  get isWritable(): boolean {
    return this.isFollowing && this._subject.isWritable;
  }

  get canRestore(): boolean {
    const step = this.step;
    const failed = step?.outcome === 'error' && !step.code;
    return !!step && !failed && this.isWritable && !this.isInCell;
  }

  /** What became of the last restore; gone when the cell changes again. */
  get note(): RestoreNote {
    return this._note;
  }

  /** The type of the active cell, or null if there is none. */
  get activeType(): string | null {
    return this._subject.cell?.type ?? null;
  }

  /** What is known of the model with this id. */
  modelInfo(id: string): ModelInfo | null {
    return this._models.get(id) ?? null;
  }

  /** Ask again. */
  refresh(): void {
    this._lastLoad = 0;
    void this._load();
  }

  /**
   * Put the step on show back into its cell: one undo step, and recorded.
   *
   * It is in the cell before this awaits anything. If only the record fails, `note` says so.
   */
  async restore(): Promise<void> {
    const { step, shown } = this;
    if (!this.canRestore || !step || !shown) {
      return;
    }
    this.player.pause();
    const replaced = this._subject.source;
    this._isApplying = true;
    try {
      this._subject.apply(step.code);
    } finally {
      this._isApplying = false;
    }
    this._note = 'restored';
    this._emit();
    const key = { notebookId: shown.notebookId, cellId: shown.cellId };
    const data = { from_seq: step.seq, replaced };
    const event = { type: 'restore', source: step.code, data };
    try {
      await this._history.record(key, [event]);
    } catch {
      if (this._note === 'restored') {
        this._note = 'unrecorded';
        this._emit();
      }
    }
  }

  /** Take the restore back. */
  undoRestore(): void {
    if (this._note && this.isFollowing) {
      this._subject.undo();
    }
  }

  /** Go to a cell; one that is no longer in the notebook is shown here instead. */
  async goTo(cellId: string): Promise<void> {
    if (this._subject.cells().some(cell => cell.id === cellId)) {
      await this._subject.goTo(cellId);
    } else {
      this._pinned = cellId;
      this.view = 'cell';
    }
  }

  /** Follow the active cell again, after a look at one that is gone. */
  unpin(): void {
    this._pinned = null;
    this._follow();
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
    this._subject.changed.disconnect(this._onSubjectChanged, this);
    this._history.changed.disconnect(this._onHistoryChanged, this);
    this.player.dispose();
    this.overview.dispose();
    this._steps = [];
    this._shown = null;
    Signal.clearData(this);
  }

  /** Only the view that somebody looks at works; it catches up when it comes on show. */
  private _wake(): void {
    if (this._isSeen) {
      this._isStale ||= this._error !== null;
      this._follow();
    } else {
      this.player.pause();
      if (this._abort) {
        this._abort.abort();
        this._abort = this._loading = null;
        this._isStale = true;
      }
    }
    this.overview.isActive = this._isActive && this._view === 'notebook';
  }

  private get _isSeen(): boolean {
    return this._isActive && this._view === 'cell';
  }

  /** What should be on show now, or the reason why that is nothing. */
  private _wanted(): IShownCell | ReplayPhase {
    const { hasNotebook, notebookId, cell, mimeType } = this._subject;
    if (!hasNotebook) {
      return 'notebook';
    }
    if (notebookId === null) {
      return 'history';
    }
    if (this._pinned !== null) {
      return { notebookId, cellId: this._pinned, info: null, mimeType };
    }
    return cell
      ? { notebookId, cellId: cell.id, info: cell, mimeType }
      : 'cell';
  }

  /** Show what should be on show, asking for it only if it is another cell or may be old. */
  private _follow(): void {
    const wanted = this._wanted();
    if (typeof wanted !== 'string' && !this._isStale) {
      if (sameCell(wanted, this._loading ?? this._asked)) {
        if (sameCell(wanted, this._shown)) {
          this._shown = wanted;
        }
        this._emit();
        return;
      }
    }
    void this._load();
  }

  private async _load(): Promise<void> {
    this._abort?.abort();
    this._abort = null;
    this._loading = null;
    this._isStale = !this._isSeen;
    if (!this._isSeen) {
      return;
    }
    const wanted = this._wanted();
    if (typeof wanted === 'string') {
      this._asked = null;
      this._show(null, [], wanted);
      return;
    }
    const abort = (this._abort = new AbortController());
    this._loading = wanted;
    this._emit();
    // Who runs through the cells by the arrow keys asks for the first and the last.
    const isHasty = Date.now() - this._lastLoad < PAUSE_MS;
    this._lastLoad = Date.now();
    if (isHasty) {
      await new Promise(resolve => setTimeout(resolve, PAUSE_MS));
      if (abort.signal.aborted) {
        return;
      }
    }
    let steps: readonly Step[] = [];
    let error: string | null = null;
    try {
      steps = (await this._history.replay(wanted, abort.signal))?.steps ?? [];
    } catch (reason) {
      error = reason instanceof Error ? reason.message : String(reason);
    }
    if (abort.signal.aborted) {
      return;
    }
    this._abort = null;
    this._loading = null;
    this._asked = wanted;
    if (error === null) {
      this._show(wanted, steps, steps.length ? 'steps' : 'empty');
    } else if (this._phase === 'steps' && sameCell(wanted, this._shown)) {
      // The steps on show are right, if not the newest: they stay, with the error beside.
      this._error = error;
      this._emit();
    } else {
      this._show(wanted, [], 'failed', error);
    }
  }

  private _show(
    shown: IShownCell | null,
    steps: readonly Step[],
    phase: ReplayPhase,
    error: string | null = null
  ): void {
    const same = sameCell(shown, this._shown) && this._steps.length > 0;
    // The cell may have been run or edited while the request was under way.
    const now = this._subject.cell;
    const info = now && shown?.info?.id === now.id ? now : shown?.info;
    this._shown = shown && { ...shown, info: info ?? null };
    this._steps = steps;
    this._phase = phase;
    this._error = error;
    if (same) {
      this.player.grow(steps.length);
    } else {
      this._note = null;
      this.player.reset(steps.length, steps.length - 1);
    }
  }

  /** Names and places of models; without them a step shows the id alone. */
  private async _loadModels(): Promise<void> {
    if (this._models.size) {
      return;
    }
    try {
      const { models } = await this._history.models();
      this._models = new Map(models.map(model => [model.id, model]));
      this._emit();
    } catch {
      // Tried again when next shown.
    }
  }

  private _onSubjectChanged(_: IReplaySubject, change: SubjectChange): void {
    if (change === 'where') {
      this._pinned = null;
    }
    if (change === 'source' && !this._isApplying) {
      this._note = null;
    }
    if (change !== 'source' && this._isSeen) {
      this._follow();
    } else {
      this._emit();
    }
  }

  private _onHistoryChanged(_: IHistory, key: ICellKey): void {
    const wanted = this._wanted();
    if (!this._isSeen) {
      this._isStale = true;
    } else if (typeof wanted !== 'string' && sameCell(key, wanted)) {
      void this._load();
    }
  }

  private _emit(): void {
    if (!this._isDisposed) {
      this._stateChanged.emit();
    }
  }

  private readonly _subject: IReplaySubject;
  private readonly _history: IHistory;
  private _abort: AbortController | null = null;
  private _asked: IShownCell | null = null;
  private _error: string | null = null;
  private _isActive = false;
  private _isApplying = false;
  private _isDisposed = false;
  private _isStale = true;
  private _lastLoad = 0;
  private _loading: IShownCell | null = null;
  private _models = new Map<string, ModelInfo>();
  private _note: RestoreNote = null;
  private _phase: ReplayPhase = 'idle';
  private _pinned: string | null = null;
  private _shown: IShownCell | null = null;
  private _stateChanged = new Signal<this, void>(this);
  private _steps: readonly Step[] = [];
  private _view: 'cell' | 'notebook' = 'cell';
}

/** What the cell held after a step. */
export function after(step: Step): string {
  return step.applied ? step.code : step.before;
}

function sameCell(a: ICellKey | null, b: ICellKey | null): boolean {
  return a?.cellId === b?.cellId && a?.notebookId === b?.notebookId;
}
