/**
 * A search over all turns: the query, its scope, and the results. A request is sent when typing
 * pauses. It is repeated when histories change, and as long as the server is indexing sessions.
 */
import type { SearchHit, SearchResults } from '../../api/types';
import { LoadedModel } from './loadedModel';

const TYPING_PAUSE_MS = 180;
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

  /** `notebook`: in the current notebook · `project`: in all notebooks. */
  get scope(): SearchScope {
    return this.subject.notebookId === null ? 'project' : this._scope;
  }
  set scope(value: SearchScope) {
    if (value !== this._scope) {
      this._scope = value;
      this.refresh();
    }
  }

  get hasHistory(): boolean {
    return this.subject.notebookId !== null;
  }

  /** `words`: for the words of the query · `meaning`: for texts of similar meaning. */
  get searchBy(): SearchBy {
    return this._searchBy;
  }
  set searchBy(value: SearchBy) {
    if (value !== this._searchBy) {
      this._searchBy = value;
      this.refresh();
    }
  }

  get isSearching(): boolean {
    return this.isLoading || this._timer !== undefined;
  }

  /** The results of the last search; null if its query was empty, or before the first search. */
  results: SearchResults | null = null;

  /**
   * Whether the server can search by meaning, and if not, the command that installs this feature;
   * null before the first response.
   */
  meaningSearch: SearchResults['meaning'] | null = null;

  isInCurrentNotebook(hit: SearchHit): boolean {
    return hit.notebookId === this.subject.notebookId;
  }

  async loadMore(): Promise<void> {
    const { results: hits = [], total = 0 } = this.results ?? {};
    if (!this.isSearching && hits.length < total) {
      this._previousHits = hits;
      await this.load();
    }
  }

  requestFocus(): void {
    this.isFocusRequested = true;
    this.stateChanged.emit();
  }

  /** The view resets this once it has focused the search field. */
  isFocusRequested = false;

  override refresh(): void {
    this.cancel();
    super.refresh();
  }

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
      this.meaningSearch = results.meaning;
      this.results = query
        ? { ...results, results: [...previousHits, ...results.results] }
        : null;
      if (query && results.unread > 0) {
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

  private _previousHits: readonly SearchHit[] = [];
  private _searchBy: SearchBy = 'words';
  private _query = '';
  private _scope: SearchScope = 'notebook';
  private _timer: number | undefined;
}
