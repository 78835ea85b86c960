/**
 * A search over all turns: the query, its scope, and the results.
 *
 * Invariants:
 * - A request is sent when typing pauses; the newest one wins, and an older one is aborted.
 * - The previous results stay until the next response.
 * - The search is repeated while the server is still indexing sessions and when histories change,
 *   at most at the rate of `Pace`: results appear even if histories never cease to change.
 */
import { IDisposable } from '@lumino/disposable';
import { ISignal, Signal } from '@lumino/signaling';

import type { SearchHit, SearchResults } from '../../api/types';
import type { IHistory } from '../../tokens';
import { IFailure, toFailure } from '../../state/failure';
import { Throttle } from '../../state/throttle';
import type { IReplaySubject, SubjectChange } from './subject';

/** The pause in typing after which a request is sent, in milliseconds. */
const PAUSE_MS = 180;
const PAGE_SIZE = 30;

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
      this._cancel();
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
        this._onQueryChanged();
      }
      this._changed.emit();
    }
  }

  /** `notebook`: this notebook only · `project`: all notebooks of the server. */
  get scope(): SearchScope {
    return this._subject.notebookId === null ? 'project' : this._scope;
  }
  set scope(value: SearchScope) {
    if (value !== this._scope) {
      this._scope = value;
      this.refresh();
    }
  }

  /** Whether a notebook is open, so that the search can be limited to it. */
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

  /** Whether a request is pending, or will be sent when typing pauses. */
  get isSearching(): boolean {
    return this._abort !== null || this._timer !== null;
  }

  /** The results so far; null before the first search. */
  get hits(): readonly SearchHit[] | null {
    return this._results?.results ?? null;
  }

  /** The number of all results; more than `hits` if there are further pages. */
  get total(): number {
    return this._results?.total ?? 0;
  }

  /** The number of sessions that the server has not indexed yet. */
  get unread(): number {
    return this._results?.unread ?? 0;
  }

  /** Whether search by meaning is available, and how to install it; null before a response. */
  get meaning(): SearchResults['meaning'] | null {
    return this._meaning;
  }

  get error(): IFailure | null {
    return this._error;
  }

  /** Whether a result is in the current notebook. */
  isInCurrentNotebook(hit: SearchHit): boolean {
    return hit.notebookId === this._subject.notebookId;
  }

  /** The position of a result's cell in the current notebook, from 1; null if it was deleted. */
  numberOf(hit: SearchHit): number | null {
    return this._subject.numberOf(hit.cellId);
  }

  /** Load the next page. */
  async loadMore(): Promise<void> {
    const results = this._results;
    if (
      !results ||
      this.isSearching ||
      !(results.results.length < results.total)
    ) {
      return;
    }
    await this._fetch(results.results);
  }

  /** Ask the view to focus its field as soon as it is drawn. */
  requestFocus(): void {
    this._isFocusRequested = true;
    this._changed.emit();
  }

  /** Whether the field should get the focus; true once for each `requestFocus`. */
  consumeFocusRequest(): boolean {
    const isRequested = this._isFocusRequested;
    this._isFocusRequested = false;
    return isRequested;
  }

  /** Search again without delay. */
  refresh(): void {
    this._cancel();
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

  private _cancel(): void {
    const hasPending = this._throttle.cancel();
    this._isStale ||= hasPending || this.isSearching;
    this._abort?.abort();
    this._abort = null;
    if (this._timer !== null) {
      window.clearTimeout(this._timer);
      this._timer = null;
    }
  }

  /** Search when typing pauses; without delay if the query is empty. */
  private _onQueryChanged(): void {
    if (!this._query.trim() || !this._isActive) {
      this.refresh();
      return;
    }
    this._cancel();
    this._timer = window.setTimeout(() => {
      this._timer = null;
      void this._throttle.runNow();
    }, PAUSE_MS);
  }

  /** Fetch a page of results, and append it to the previous ones. */
  private async _fetch(previousHits: readonly SearchHit[] = []): Promise<void> {
    const { notebookId } = this._subject;
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
          offset: previousHits.length,
          limit: PAGE_SIZE
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
        ? { ...results, results: [...previousHits, ...results.results] }
        : null;
      if (query && results.unread > 0) {
        this._throttle.trigger();
      }
    }
    this._changed.emit();
  }

  private _onSubjectChanged(_: IReplaySubject, change: SubjectChange): void {
    const { notebookId } = this._subject;
    if (change === 'activeCell' && notebookId !== this._notebookId) {
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
  private _by: SearchBy = 'words';
  private _changed = new Signal<this, void>(this);
  private _error: IFailure | null = null;
  private _isActive = false;
  private _isFocusRequested = false;
  private _isDisposed = false;
  private _isStale = true;
  private _meaning: SearchResults['meaning'] | null = null;
  private _notebookId: string | null = null;
  private _query = '';
  private _results: SearchResults | null = null;
  private _scope: SearchScope = 'notebook';
  /** Set while the person is typing. */
  private _timer: number | null = null;
}
