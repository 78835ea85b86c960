/**
 * The steps of the cell that is followed, fetched as the person goes from cell to cell.
 *
 * What must hold:
 * - It follows the active cell while active, and asks for nothing while not.
 * - The newest request wins; an older one is aborted, and its answer is never shown.
 * - What is shown stays until the next is there, so that nothing flickers.
 */
import { IDisposable } from '@lumino/disposable';
import { ISignal, Signal } from '@lumino/signaling';

import type { Step } from '../../../api/types';
import type { ICellKey, IHistory } from '../../../tokens';
import { IFailure, toFailure } from '../../../state/failure';
import { foldRuns, IShownStep } from './fold';
import type { ICellInfo, IReplaySubject, SubjectChange } from '../subject';

/**
 * What there is to show. `idle`: nothing was asked yet · `notebook`: no notebook is open ·
 * `cell`: it has no cell, or not yet · `history`: no cell of the notebook has a history ·
 * `empty`: this cell has none · `failed`: it could not be read · `steps`: it has steps.
 */
export type ReplayPhase =
  'idle' | 'notebook' | 'cell' | 'history' | 'empty' | 'failed' | 'steps';

/** A cell on show: named by its key, described as it was when last seen. */
export interface IShownCell extends ICellKey {
  /** Null for a cell that is no longer in the notebook. */
  readonly info: ICellInfo | null;
  readonly mimeType: string;
}

/** `cell`: other steps of another cell · `steps`: newer steps of the same · `state`: the rest. */
export type StepsChange = 'cell' | 'steps' | 'state';

/** Requests come no closer than this, in milliseconds. */
const PAUSE_MS = 100;

export class ReplaySteps implements IDisposable {
  constructor(options: { subject: IReplaySubject; history: IHistory }) {
    this._subject = options.subject;
    this._history = options.history;
    this._subject.changed.connect(this._onSubjectChanged, this);
    this._history.changed.connect(this._onHistoryChanged, this);
  }

  get changed(): ISignal<this, StepsChange> {
    return this._changed;
  }

  /** Whether somebody looks; what was missed meanwhile is caught up with. */
  get isActive(): boolean {
    return this._isActive;
  }
  set isActive(value: boolean) {
    if (value === this._isActive || this._isDisposed) {
      return;
    }
    this._isActive = value;
    if (value) {
      this._isStale ||= this._error !== null;
      this._follow();
    } else if (this._abort) {
      this._abort.abort();
      this._abort = this._loading = null;
      this._isStale = true;
    }
  }

  get phase(): ReplayPhase {
    return this._phase;
  }

  /** Whether newer steps are on their way. */
  get isLoading(): boolean {
    return this._abort !== null;
  }

  /** What went wrong, if the newest request failed. */
  get error(): IFailure | null {
    return this._error;
  }

  get shown(): IShownCell | null {
    return this._shown;
  }

  get all(): readonly IShownStep[] {
    return this._all;
  }

  /** Whether the cell on show is the active one, so that it can be changed. */
  get isFollowing(): boolean {
    return (
      this._shown !== null &&
      this._shown.cellId === this._subject.cell?.id &&
      this._shown.notebookId === this._subject.notebookId
    );
  }

  /** Ask again, at once. */
  refresh(): void {
    this._lastLoad = 0;
    void this._load();
  }

  /** Show this cell until another becomes the active one; null: follow again at once. */
  pin(cellId: string | null): void {
    this._pinned = cellId;
    if (this._isActive) {
      this._follow();
    }
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
    this._all = [];
    this._shown = null;
    Signal.clearData(this);
  }

  /** What should be on show now, or the reason why that is nothing. */
  private _wanted(): IShownCell | ReplayPhase {
    const { hasNotebook, notebookId, cell, mimeType } = this._subject;
    if (!hasNotebook) {
      return 'notebook';
    }
    if (notebookId === null) {
      // Without a cell it is still being opened: nothing can be said of it yet.
      return cell ? 'history' : 'cell';
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
      if (isSameCell(wanted, this._loading ?? this._asked)) {
        if (isSameCell(wanted, this._shown)) {
          this._shown = wanted;
        }
        this._changed.emit('state');
        return;
      }
    }
    void this._load();
  }

  private async _load(): Promise<void> {
    this._abort?.abort();
    this._abort = this._loading = null;
    this._isStale = !this._isActive;
    if (!this._isActive) {
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
    this._changed.emit('state');
    // Who runs through the cells by the arrow keys asks for the first and the last.
    const isHasty = Date.now() - this._lastLoad < PAUSE_MS;
    this._lastLoad = Date.now();
    if (isHasty) {
      await new Promise(resolve => setTimeout(resolve, PAUSE_MS));
    }
    let steps: readonly Step[] = [];
    let error: IFailure | null = null;
    if (!abort.signal.aborted) {
      try {
        ({ steps } = await this._history.replay(wanted, abort.signal));
      } catch (reason) {
        error = toFailure(reason);
      }
    }
    if (abort.signal.aborted) {
      return;
    }
    this._abort = this._loading = null;
    this._asked = wanted;
    if (error === null) {
      this._show(wanted, steps, steps.length ? 'steps' : 'empty');
    } else if (this._phase === 'steps' && isSameCell(wanted, this._shown)) {
      // The steps on show are right, if not the newest: they stay, with the error beside.
      this._error = error;
      this._changed.emit('state');
    } else {
      this._show(wanted, [], 'failed', error);
    }
  }

  private _show(
    shown: IShownCell | null,
    steps: readonly Step[],
    phase: ReplayPhase,
    error: IFailure | null = null
  ): void {
    const isSame = isSameCell(shown, this._shown) && this._all.length > 0;
    // The cell may have been run or edited while the request was under way.
    const now = this._subject.cell;
    const info = now && shown?.info?.id === now.id ? now : shown?.info;
    this._shown = shown && { ...shown, info: info ?? null };
    this._all = foldRuns(steps);
    this._phase = phase;
    this._error = error;
    this._changed.emit(isSame ? 'steps' : 'cell');
  }

  private _onSubjectChanged(_: IReplaySubject, change: SubjectChange): void {
    if (change === 'where') {
      this._pinned = null;
    }
    if (change !== 'source' && this._isActive) {
      this._follow();
    }
  }

  private _onHistoryChanged(_: IHistory, key: ICellKey): void {
    const wanted = this._wanted();
    if (!this._isActive) {
      this._isStale = true;
    } else if (typeof wanted !== 'string' && isSameCell(key, wanted)) {
      void this._load();
    }
  }

  private readonly _subject: IReplaySubject;
  private readonly _history: IHistory;
  private _abort: AbortController | null = null;
  private _all: readonly IShownStep[] = [];
  private _asked: IShownCell | null = null;
  private _changed = new Signal<this, StepsChange>(this);
  private _error: IFailure | null = null;
  private _isActive = false;
  private _isDisposed = false;
  private _isStale = true;
  private _lastLoad = 0;
  private _loading: IShownCell | null = null;
  private _phase: ReplayPhase = 'idle';
  private _pinned: string | null = null;
  private _shown: IShownCell | null = null;
}

function isSameCell(a: ICellKey | null, b: ICellKey | null): boolean {
  return a?.cellId === b?.cellId && a?.notebookId === b?.notebookId;
}
