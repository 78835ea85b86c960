/**
 * A search over all turns: the query, its scope, and the results.
 *
 * Invariants:
 * - A request is sent when typing pauses.
 * - The search is repeated when histories change, and as long as the server is still indexing
 *   sessions. `Throttle` limits how often, but doesn't wait for a pause in the changes, so results
 *   appear even while histories change all the time.
 */
import type { SearchHit, SearchResults } from '../../api/types';
import { LoadedModel } from './loadedModel';

/** The pause in typing after which a request is sent, in milliseconds. */
const PAUSE_MS = 180;
/** The number of results that one request returns. */
const RESULTS_PER_REQUEST = 30;

export type SearchScope = 'notebook' | 'project';
export type SearchBy = 'words' | 'meaning';

export class SearchModel extends LoadedModel {
  get query(): string {
    return this._query;
  }
  set query(value: string) {
    if (value !== this._query) {
      const isSameQuery = value.trim() === this._query.trim();
      this._query = value;
      if (!isSameQuery) {
        this._onQueryChanged();
      }
      this.stateChanged.emit();
    }
  }

  /** `notebook`: this notebook only · `project`: all notebooks of the server. */
  get scope(): SearchScope {
    return this.subject.notebookId === null ? 'project' : this._scope;
  }
  set scope(value: SearchScope) {
    if (value !== this._scope) {
      this._scope = value;
      this.refresh();
    }
  }

  /** Whether a notebook with a history is open, so that the search can be limited to it. */
  get hasNotebook(): boolean {
    return this.subject.notebookId !== null;
  }

  /** Whether to search by words or by meaning. */
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
    return this.isLoading || this._timer !== null;
  }

  /** All results that were loaded for the query so far; null if there is no query. */
  get results(): SearchResults | null {
    return this._results;
  }

  /**
   * Whether search by meaning is available, and how to install it otherwise; null before the first
   * response.
   */
  get meaning(): SearchResults['meaning'] | null {
    return this._meaning;
  }

  /** Whether a result is in the current notebook. */
  isInCurrentNotebook(hit: SearchHit): boolean {
    return hit.notebookId === this.subject.notebookId;
  }

  /** Return the position of a result's cell in the notebook, from 1; null if it was deleted. */
  numberOf(hit: SearchHit): number | null {
    return this.subject.numberOf(hit.cellId);
  }

  /** Load more results, and append them to those already loaded. */
  async loadMore(): Promise<void> {
    const results = this._results;
    if (
      !results ||
      this.isSearching ||
      !(results.results.length < results.total)
    ) {
      return;
    }
    this._previousHits = results.results;
    await this.load();
  }

  /** Ask the view to focus its search field as soon as the field is rendered. */
  requestFocus(): void {
    this._isFocusRequested = true;
    this.stateChanged.emit();
  }

  /** Return whether the view should focus its search field: true once after `requestFocus`. */
  consumeFocusRequest(): boolean {
    const isRequested = this._isFocusRequested;
    this._isFocusRequested = false;
    return isRequested;
  }

  /** Search again without delay. */
  override refresh(): void {
    this.cancel();
    super.refresh();
  }

  /** The id of the notebook that is searched; null if all notebooks are. */
  protected get target(): string | null {
    return this.scope === 'notebook' ? this.subject.notebookId : null;
  }

  protected async fetch(signal: AbortSignal): Promise<() => void> {
    const previousHits = this._previousHits;
    this._previousHits = [];
    const query = this._query.trim();
    const results = await this.history.api.search(
      {
        query,
        notebookId: this.target,
        by: this._by,
        offset: previousHits.length,
        limit: RESULTS_PER_REQUEST
      },
      signal
    );
    return () => {
      this._meaning = results.meaning;
      this._results = query
        ? { ...results, results: [...previousHits, ...results.results] }
        : null;
      if (query && results.unread > 0) {
        this.throttle.trigger();
      }
    };
  }

  protected override cancel(): void {
    super.cancel(this._timer !== null);
    if (this._timer !== null) {
      window.clearTimeout(this._timer);
      this._timer = null;
    }
  }

  protected override onHistoryChanged(): void {
    const isSearched = this._query.trim() && this._timer === null;
    if (!this.isActive || isSearched) {
      this.invalidate();
    }
  }

  /** Search when typing pauses; without delay if the query is empty. */
  private _onQueryChanged(): void {
    if (!this._query.trim() || !this.isActive) {
      this.refresh();
      return;
    }
    this.cancel();
    this._timer = window.setTimeout(() => {
      this._timer = null;
      void this.throttle.runNow();
    }, PAUSE_MS);
  }

  /** The results that were loaded before, to which the next request's results are appended. */
  private _previousHits: readonly SearchHit[] = [];
  private _by: SearchBy = 'words';
  private _isFocusRequested = false;
  private _meaning: SearchResults['meaning'] | null = null;
  private _query = '';
  private _results: SearchResults | null = null;
  private _scope: SearchScope = 'notebook';
  /** The timer that sends the request; null unless the person has just typed. */
  private _timer: number | null = null;
}
