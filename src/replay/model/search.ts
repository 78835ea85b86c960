/**
 * A search over all turns: the query, its scope, and the results.
 *
 * Invariants:
 * - A request is sent when typing pauses.
 * - The search is repeated when histories change, and as long as the server is still indexing
 *   sessions. `Throttle` limits how often this happens, but it doesn't wait until histories stop
 *   changing. So results appear even while histories change all the time.
 */
import type { SearchHit, SearchResults } from '../../api/types';
import { LoadedModel } from './loadedModel';

/** The time without typing after which a request is sent, in milliseconds. */
const TYPING_PAUSE_MS = 180;
/** The maximum number of results that one request returns. */
const RESULTS_PER_REQUEST = 30;

export type SearchScope = 'notebook' | 'project';
export type SearchBy = 'words' | 'meaning';

export class SearchModel extends LoadedModel {
  /** The text in the search field. */
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

  /** Where to search. `notebook`: in the current notebook · `project`: in all notebooks. */
  get scope(): SearchScope {
    return this.subject.notebookId === null ? 'project' : this._scope;
  }
  set scope(value: SearchScope) {
    if (value !== this._scope) {
      this._scope = value;
      this.refresh();
    }
  }

  /** Whether the current notebook has a history, so that the search can be limited to it. */
  get hasHistory(): boolean {
    return this.subject.notebookId !== null;
  }

  /**
   * How to search. `words`: for the words of the query · `meaning`: for texts of similar meaning.
   */
  get searchBy(): SearchBy {
    return this._searchBy;
  }
  set searchBy(value: SearchBy) {
    if (value !== this._searchBy) {
      this._searchBy = value;
      this.refresh();
    }
  }

  /** Whether a request is pending, or will be sent when typing pauses. */
  get isSearching(): boolean {
    return this.isLoading || this._timer !== undefined;
  }

  /**
   * The results of the last search; null if its query was empty, or before the first search. While
   * a new search is running, the property still contains the previous results.
   */
  get results(): SearchResults | null {
    return this._results;
  }

  /**
   * Whether the server can search by meaning, and if not, the command that installs this feature;
   * null before the first response.
   */
  get meaningSearch(): SearchResults['meaning'] | null {
    return this._meaningSearch;
  }

  /** Return whether a result is in the current notebook. */
  isInCurrentNotebook(hit: SearchHit): boolean {
    return hit.notebookId === this.subject.notebookId;
  }

  /** Load more results, and append them to the results that are already loaded. */
  async loadMore(): Promise<void> {
    const results = this._results;
    if (
      !results ||
      this.isSearching ||
      results.results.length >= results.total
    ) {
      return;
    }
    this._previousHits = results.results;
    await this.load();
  }

  /** Ask the view to focus the search field as soon as the field is rendered. */
  requestFocus(): void {
    this._isFocusRequested = true;
    this.stateChanged.emit();
  }

  /**
   * Return whether the view should focus the search field. After a call of `requestFocus`, only the
   * first call of this method returns true.
   */
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

  /** The id of the notebook that is searched; null if all notebooks are searched. */
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
        by: this._searchBy,
        offset: previousHits.length,
        limit: RESULTS_PER_REQUEST
      },
      signal
    );
    return () => {
      this._meaningSearch = results.meaning;
      this._results = query
        ? { ...results, results: [...previousHits, ...results.results] }
        : null;
      if (query && results.unread > 0) {
        // The server hasn't indexed all sessions yet: search again later.
        this.throttle.trigger();
      }
    };
  }

  protected override cancel(): void {
    super.cancel(this._timer !== undefined);
    window.clearTimeout(this._timer);
    this._timer = undefined;
  }

  protected override onHistoryChanged(): void {
    // If a request will be sent when typing pauses, its response will include this change.
    const isRequestScheduled = this._timer !== undefined;
    const hasQuery = this._query.trim() !== '';
    if (!this.isActive || (hasQuery && !isRequestScheduled)) {
      this.invalidate();
    }
  }

  /** Search when typing pauses. If the query is empty or the tab is hidden, call `refresh`. */
  private _onQueryChanged(): void {
    if (!this._query.trim() || !this.isActive) {
      this.refresh();
      return;
    }
    this.cancel();
    this._timer = window.setTimeout(() => {
      this._timer = undefined;
      void this.throttle.runNow();
    }, TYPING_PAUSE_MS);
  }

  /** The results that are shown above the results of the next request. */
  private _previousHits: readonly SearchHit[] = [];
  private _searchBy: SearchBy = 'words';
  private _isFocusRequested = false;
  private _meaningSearch: SearchResults['meaning'] | null = null;
  private _query = '';
  private _results: SearchResults | null = null;
  private _scope: SearchScope = 'notebook';
  /** The timer that sends a request when typing pauses; undefined if none is scheduled. */
  private _timer: number | undefined;
}
