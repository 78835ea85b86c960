/**
 * A search over all turns: the query, its scope, and the results.
 *
 * Invariants:
 * - A request is sent when typing pauses.
 * - The search is repeated while the server is still indexing sessions and when histories change,
 *   at most at the rate of `Throttle`: results appear even if histories never cease to change.
 */
import type { SearchHit, SearchResults } from '../../api/types';
import { LoadedModel } from './loadedModel';

/** The pause in typing after which a request is sent, in milliseconds. */
const PAUSE_MS = 180;
const PAGE_SIZE = 30;

export type SearchScope = 'notebook' | 'project';
export type SearchBy = 'words' | 'meaning';

export class SearchModel extends LoadedModel {
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

  /** Whether a notebook is open, so that the search can be limited to it. */
  get hasNotebook(): boolean {
    return this.subject.notebookId !== null;
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
    return this.isLoading || this._timer !== null;
  }

  /** The results so far, as pages are appended; null before the first search. */
  get results(): SearchResults | null {
    return this._results;
  }

  /** Whether search by meaning is available, and how to install it; null before a response. */
  get meaning(): SearchResults['meaning'] | null {
    return this._meaning;
  }

  /** Whether a result is in the current notebook. */
  isInCurrentNotebook(hit: SearchHit): boolean {
    return hit.notebookId === this.subject.notebookId;
  }

  /** The position of a result's cell in the current notebook, from 1; null if it was deleted. */
  numberOf(hit: SearchHit): number | null {
    return this.subject.numberOf(hit.cellId);
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
    this._previousHits = results.results;
    await this.load();
  }

  /** Ask the view to focus its field as soon as it is drawn. */
  requestFocus(): void {
    this._isFocusRequested = true;
    this.stateChanged.emit();
  }

  /** Whether the field should get the focus; true once for each `requestFocus`. */
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

  /** The notebook that is searched; null for all. */
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
        limit: PAGE_SIZE
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

  /** The results to which the pending page is appended. */
  private _previousHits: readonly SearchHit[] = [];
  private _by: SearchBy = 'words';
  private _isFocusRequested = false;
  private _meaning: SearchResults['meaning'] | null = null;
  private _query = '';
  private _results: SearchResults | null = null;
  private _scope: SearchScope = 'notebook';
  /** Set while the person is typing. */
  private _timer: number | null = null;
}
