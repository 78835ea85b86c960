/**
 * A search over all turns: what was typed, where to look, and what was found.
 *
 * What must hold:
 * - It waits till the person pauses; the newest question wins, and an older one is aborted.
 * - What was found stays on show until the next answer is there.
 * - While the server is still reading sessions for the first time, it is asked again; so it is
 *   where histories change, and at a pace of its own: where they never cease to, some are shown.
 */
import { IDisposable } from '@lumino/disposable';
import { ISignal, Signal } from '@lumino/signaling';

import type { SearchHit, SearchResults } from '../../api/types';
import type { IHistory } from '../../tokens';
import { IFailure, toFailure } from '../../state/failure';
import { Throttle } from '../../state/throttle';
import type { IReplaySubject, SubjectChange } from './subject';

/** A pause in typing, in milliseconds. */
const PAUSE_MS = 180;
const PAGE = 30;

export type SearchScope = 'notebook' | 'project';
export type SearchBy = 'words' | 'meaning';

export class SearchModel implements IDisposable {
  constructor(options: { subject: IReplaySubject; history: IHistory }) {
    this._subject = options.subject;
    this._history = options.history;
    this._subject.changed.connect(this._onSubjectChanged, this);
    this._history.changed.connect(this._onHistoryChanged, this);
  }

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
      this._stop();
    } else if (!this._results || this._isStale) {
      this.refresh();
    }
  }

  get query(): string {
    return this._query;
  }
  set query(value: string) {
    if (value !== this._query) {
      const isSame = value.trim() === this._query.trim();
      this._query = value;
      if (!isSame) {
        this._onTyped();
      }
      this._changed.emit();
    }
  }

  /** This notebook alone, or all that the server keeps. */
  get scope(): SearchScope {
    return this._subject.notebookId === null ? 'project' : this._scope;
  }
  set scope(value: SearchScope) {
    if (value !== this._scope) {
      this._scope = value;
      this.refresh();
    }
  }

  /** Whether this notebook alone can be searched. */
  get hasNotebook(): boolean {
    return this._subject.notebookId !== null;
  }

  get by(): SearchBy {
    return this._by;
  }
  set by(value: SearchBy) {
    if (value !== this._by) {
      this._by = value;
      this.refresh();
    }
  }

  /** Whether an answer is on its way, or will be once the person pauses. */
  get isSearching(): boolean {
    return this._abort !== null || this._timer !== null;
  }

  /** What was found; null before anything was asked. */
  get hits(): readonly SearchHit[] | null {
    return this._results?.results ?? null;
  }

  /** How many there are in all; more than `hits` where there are further pages. */
  get total(): number {
    return this._results?.total ?? 0;
  }

  /** How many sessions the server has still to read. */
  get unread(): number {
    return this._results?.unread ?? 0;
  }

  /** What searching by meaning needs; null before the server said it. */
  get meaning(): SearchResults['meaning'] | null {
    return this._meaning;
  }

  get error(): IFailure | null {
    return this._error;
  }

  /** Whether a hit is in the notebook that is open in front. */
  isHere(hit: SearchHit): boolean {
    return hit.notebookId === this._subject.notebookId;
  }

  /** The place of a hit's cell in the open notebook, counted from 1; null if it was deleted. */
  numberOf(hit: SearchHit): number | null {
    return this._subject.numberOf(hit.cellId);
  }

  /** Ask for what was not shown yet. */
  async more(): Promise<void> {
    const results = this._results;
    if (
      !results ||
      this.isSearching ||
      !(results.results.length < results.total)
    ) {
      return;
    }
    this._before = results.results;
    const isMissed = this._throttle.cancel();
    const asked = this._throttle.runNow();
    if (isMissed) {
      this._throttle.trigger(); // What changed is asked for behind the next page.
    }
    await asked;
  }

  /** Somebody wants to type: the view gives its field the focus as soon as it is drawn. */
  call(): void {
    this._isCalled = true;
    this._changed.emit();
  }

  /** Whether the field is to have the focus now; true once for each call. */
  takeCall(): boolean {
    const isCalled = this._isCalled;
    this._isCalled = false;
    return isCalled;
  }

  /** Ask again, at once. */
  refresh(): void {
    this._stop();
    this._isStale = !this._isActive;
    if (this._isActive) {
      void this._throttle.runNow();
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
    Signal.clearData(this);
  }

  private _stop(): void {
    const isMissed = this._throttle.cancel();
    this._isStale ||= isMissed || this.isSearching;
    this._abort?.abort();
    this._abort = null;
    if (this._timer !== null) {
      window.clearTimeout(this._timer);
      this._timer = null;
    }
  }

  /** Ask once the person pauses; at once where nothing is left to look for. */
  private _onTyped(): void {
    if (!this._query.trim() || !this._isActive) {
      this.refresh();
      return;
    }
    this._stop();
    this._timer = window.setTimeout(() => {
      this._timer = null;
      void this._throttle.runNow();
    }, PAUSE_MS);
  }

  private async _fetch(): Promise<void> {
    const { notebookId } = this._subject;
    const before = this._before;
    this._before = [];
    this._abort?.abort();
    const abort = (this._abort = new AbortController());
    const query = this._query.trim();
    this._changed.emit();
    let results: SearchResults | null = null;
    let error: IFailure | null = null;
    try {
      results = await this._history.search(
        {
          query,
          notebookId: this.scope === 'notebook' ? notebookId : null,
          by: this._by,
          offset: before.length,
          limit: PAGE
        },
        abort.signal
      );
    } catch (reason) {
      error = toFailure(reason);
    }
    if (abort.signal.aborted) {
      return;
    }
    this._abort = null;
    this._isStale = error !== null;
    this._error = error;
    if (results) {
      this._meaning = results.meaning;
      this._results = query
        ? { ...results, results: [...before, ...results.results] }
        : null;
      if (query && results.unread > 0) {
        this._throttle.trigger();
      }
    }
    this._changed.emit();
  }

  private _onSubjectChanged(_: IReplaySubject, change: SubjectChange): void {
    const { notebookId } = this._subject;
    if (change === 'where' && notebookId !== this._notebookId) {
      this._notebookId = notebookId;
      if (this._scope === 'notebook') {
        this.refresh();
      }
    }
  }

  private _onHistoryChanged(): void {
    this._isStale = true;
    if (this._isActive && this._query.trim() && this._timer === null) {
      this._throttle.trigger();
    }
  }

  private readonly _history: IHistory;
  private readonly _subject: IReplaySubject;
  private readonly _throttle = new Throttle(() => this._fetch());
  private _abort: AbortController | null = null;
  /** What is on show already, where the next page of it is asked for. */
  private _before: readonly SearchHit[] = [];
  private _by: SearchBy = 'words';
  private _changed = new Signal<this, void>(this);
  private _error: IFailure | null = null;
  private _isActive = false;
  private _isCalled = false;
  private _isDisposed = false;
  private _isStale = true;
  private _meaning: SearchResults['meaning'] | null = null;
  private _notebookId: string | null = null;
  private _query = '';
  private _results: SearchResults | null = null;
  private _scope: SearchScope = 'notebook';
  /** Runs while the person types. */
  private _timer: number | null = null;
}
