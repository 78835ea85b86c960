/**
 * The steps of the active or pinned cell, fetched as the person moves from cell to cell.
 *
 * Invariants:
 * - It follows the active cell while active, and sends no requests while inactive.
 * - The newest request wins; an older one is aborted, and its response is never shown.
 * - The previous steps stay until the next ones are loaded, so that nothing flickers.
 */
import { IDisposable } from '@lumino/disposable';
import { ISignal, Signal } from '@lumino/signaling';

import type { Step } from '../../../api/types';
import type { ICellKey, IHistory } from '../../../tokens';
import { IFailure, toFailure } from '../../../state/failure';
import { foldRuns, IShownStep } from '../../../records/fold';
import type { ICellInfo, IReplaySubject, SubjectChange } from '../subject';

/**
 * The state of the cell view. `idle`: nothing was requested yet · `notebook`: no notebook is open ·
 * `cell`: the notebook has no cell, or not yet · `history`: no cell of the notebook has a history ·
 * `empty`: this cell has no history · `failed`: the request failed · `steps`: the cell has steps.
 */
export type ReplayPhase =
  'idle' | 'notebook' | 'cell' | 'history' | 'empty' | 'failed' | 'steps';

/** The cell on show, with its description when it was last loaded. */
export interface IShownCell extends ICellKey {
  /** Null for a cell that is no longer in the notebook. */
  readonly info: ICellInfo | null;
  readonly mimeType: string;
}

/** `cell`: steps of another cell · `steps`: newer steps of the same cell · `state`: anything else. */
export type StepsChange = 'cell' | 'steps' | 'state';

/** The minimum interval between requests, in milliseconds. */
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

  /** Whether the cell view is visible. Activation loads what changed while it was hidden. */
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

  /** Whether a request is pending. */
  get isLoading(): boolean {
    return this._abort !== null;
  }

  /** The failure of the newest request; null if it succeeded. */
  get error(): IFailure | null {
    return this._error;
  }

  get shown(): IShownCell | null {
    return this._shown;
  }

  get all(): readonly IShownStep[] {
    return this._all;
  }

  /** Whether the cell on show is the active one, so that it can be edited. */
  get isFollowing(): boolean {
    return (
      this._shown !== null &&
      this._shown.cellId === this._subject.cell?.id &&
      this._shown.notebookId === this._subject.notebookId
    );
  }

  /** Reload the steps without delay. */
  refresh(): void {
    this._lastLoad = 0;
    void this._load();
  }

  /** Show a cell until another becomes active; with null, follow the active cell again. */
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

  /** The cell that should be shown, or the phase that explains why there is none. */
  private _getTarget(): IShownCell | ReplayPhase {
    const { hasNotebook, notebookId, cell, mimeType } = this._subject;
    if (!hasNotebook) {
      return 'notebook';
    }
    if (notebookId === null) {
      // A notebook without a cell is still being opened.
      return cell ? 'history' : 'cell';
    }
    if (this._pinned !== null) {
      return { notebookId, cellId: this._pinned, info: null, mimeType };
    }
    return cell
      ? { notebookId, cellId: cell.id, info: cell, mimeType }
      : 'cell';
  }

  /** Load the target cell, if it is another one or its steps are stale. */
  private _follow(): void {
    const target = this._getTarget();
    if (typeof target !== 'string' && !this._isStale) {
      if (isSameCell(target, this._loading ?? this._loaded)) {
        if (isSameCell(target, this._shown)) {
          this._shown = target;
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
    const target = this._getTarget();
    if (typeof target === 'string') {
      this._loaded = null;
      this._show(null, [], target);
      return;
    }
    const abort = (this._abort = new AbortController());
    this._loading = target;
    this._changed.emit('state');
    // While arrow keys move through many cells, only the first and the last are requested.
    const isRapid = Date.now() - this._lastLoad < PAUSE_MS;
    this._lastLoad = Date.now();
    if (isRapid) {
      await new Promise(resolve => setTimeout(resolve, PAUSE_MS));
    }
    let steps: readonly Step[] = [];
    let error: IFailure | null = null;
    if (!abort.signal.aborted) {
      try {
        ({ steps } = await this._history.replay(target, abort.signal));
      } catch (reason) {
        error = toFailure(reason);
      }
    }
    if (abort.signal.aborted) {
      return;
    }
    this._abort = this._loading = null;
    this._loaded = target;
    if (error === null) {
      this._show(target, steps, steps.length ? 'steps' : 'empty');
    } else if (this._phase === 'steps' && isSameCell(target, this._shown)) {
      // The steps on show are still valid, if not the newest: keep them next to the error.
      this._error = error;
      this._changed.emit('state');
    } else {
      this._show(target, [], 'failed', error);
    }
  }

  private _show(
    shown: IShownCell | null,
    steps: readonly Step[],
    phase: ReplayPhase,
    error: IFailure | null = null
  ): void {
    const isSame = isSameCell(shown, this._shown) && this._all.length > 0;
    // The cell may have been run or edited while the request was pending.
    const current = this._subject.cell;
    const info =
      current && shown?.info?.id === current.id ? current : shown?.info;
    this._shown = shown && { ...shown, info: info ?? null };
    this._all = foldRuns(steps);
    this._phase = phase;
    this._error = error;
    this._changed.emit(isSame ? 'steps' : 'cell');
  }

  private _onSubjectChanged(_: IReplaySubject, change: SubjectChange): void {
    if (change === 'activeCell') {
      this._pinned = null;
    }
    if (change !== 'source' && this._isActive) {
      this._follow();
    }
  }

  private _onHistoryChanged(_: IHistory, key: ICellKey): void {
    const target = this._getTarget();
    if (!this._isActive) {
      this._isStale = true;
    } else if (typeof target !== 'string' && isSameCell(key, target)) {
      void this._load();
    }
  }

  private readonly _subject: IReplaySubject;
  private readonly _history: IHistory;
  private _abort: AbortController | null = null;
  private _all: readonly IShownStep[] = [];
  private _loaded: IShownCell | null = null;
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
