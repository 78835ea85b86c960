import type { SearchHit, SearchResults } from '../../api/types';
import { ApiError } from '../../api/request';
import { FakeHistory, FakeSubject } from './replay.fakes';
import { SearchModel } from './search';

export function hitOf(
  turnId: number,
  more: Partial<SearchHit> = {}
): SearchHit {
  return {
    notebookId: 'nb',
    cellId: 'a',
    path: 'here.ipynb',
    turnId,
    seq: turnId,
    step: turnId - 1,
    timestamp: '2026-01-27T10:00:00.000Z',
    author: 'model',
    model: null,
    intent: `wish ${turnId}`,
    where: 'intent',
    snippet: [{ text: `wish ${turnId}`, hit: true }],
    score: 1,
    ...more
  };
}

describe('SearchModel', () => {
  let subject: FakeSubject;
  let history: FakeHistory;
  let search: SearchModel;

  const settle = async () => {
    for (let turn = 0; turn < 6; turn++) {
      await Promise.resolve();
    }
  };
  const pause = async () => {
    jest.runOnlyPendingTimers();
    await settle();
  };
  const answer = (...results: SearchHit[]): SearchResults => ({
    ...history.searchResults,
    results,
    total: results.length,
    unread: 0
  });

  beforeEach(async () => {
    jest.useFakeTimers();
    subject = new FakeSubject();
    subject.isActive = true;
    history = new FakeHistory();
    search = new SearchModel(subject, history);
    search.isActive = true;
    await pause();
    history.searches.length = 0;
  });

  afterEach(() => {
    search.dispose();
    jest.useRealTimers();
  });

  it('sends one request after a pause in typing', async () => {
    history.searchResults = answer(hitOf(1));
    for (const query of ['r', 're', 'rea', 'read ', 'read']) {
      search.query = query;
    }
    expect(search.isSearching).toBe(true);
    await pause();
    expect(history.searches.map(({ request }) => request.query)).toEqual([
      'read'
    ]);
    expect(history.searches[0].request.notebookId).toBe('nb');
    expect(search.results?.results).toEqual([hitOf(1)]);
    expect(search.isSearching).toBe(false);
  });

  it('aborts an older request, and never shows its results', async () => {
    search.query = 'old';
    jest.runOnlyPendingTimers();
    const { signal } = history.searches[0];
    history.searchResults = answer(hitOf(2));
    search.query = 'new';
    expect(signal?.aborted).toBe(true);
    await pause();
    expect(search.results?.results).toEqual([hitOf(2)]);
  });

  it('uses the chosen scope and kind of search', async () => {
    search.query = 'x';
    await pause();
    search.scope = 'project';
    await pause();
    search.searchBy = 'meaning';
    await pause();
    expect(
      history.searches.map(({ request }) => [request.notebookId, request.by])
    ).toEqual([
      ['nb', 'words'],
      [null, 'words'],
      [null, 'meaning']
    ]);
  });

  it('searches all notebooks if none is open', async () => {
    subject.notebookId = null;
    search.query = 'x';
    await pause();
    expect(search.scope).toBe('project');
    expect(history.searches[0].request.notebookId).toBeNull();
  });

  it('appends the next page', async () => {
    history.searchResults = { ...answer(hitOf(1)), total: 2 };
    search.query = 'x';
    await pause();
    history.searchResults = { ...answer(hitOf(2)), total: 2 };
    await search.loadMore();
    expect(search.results?.results.map(hit => hit.turnId)).toEqual([1, 2]);
    expect(history.searches[1].request.offset).toBe(1);
    await search.loadMore();
    expect(history.searches).toHaveLength(2);
  });

  it('searches again while the server is still indexing', async () => {
    history.searchResults = { ...answer(), unread: 7 };
    search.query = 'x';
    await pause();
    expect(search.results?.unread).toBe(7);
    history.searchResults = answer(hitOf(1));
    await pause();
    expect([search.results?.unread, search.results?.results.length]).toEqual([
      0, 1
    ]);
    await pause();
    expect(history.searches).toHaveLength(2);
  });

  it('keeps the results during the next request, and if it fails', async () => {
    history.searchResults = answer(hitOf(1));
    search.query = 'x';
    await pause();
    history.failure = new ApiError(0, 'unreachable', 'fetch failed');
    search.query = 'xy';
    expect(search.results?.results).toHaveLength(1);
    await pause();
    expect(search.error?.code).toBe('unreachable');
    expect(search.results?.results).toHaveLength(1);
    history.failure = null;
    search.refresh();
    await pause();
    expect(search.error).toBeNull();
  });

  it('finds new turns, and clears the results with the query', async () => {
    search.query = 'x';
    await pause();
    history.searchResults = answer(hitOf(3));
    history.notify({ notebookId: 'nb', cellId: 'a' });
    await pause();
    expect(search.results?.results).toHaveLength(1);
    search.query = '';
    await pause();
    expect(search.results).toBeNull();
  });

  it('finds new turns even if histories never cease to change', async () => {
    search.query = 'x';
    await pause();
    for (let n = 0; n < 30; n++) {
      history.notify({ notebookId: 'nb', cellId: `cell-${n}` });
      await jest.advanceTimersByTimeAsync(100);
    }
    // The search is repeated immediately, and then with a pause after each response.
    expect(history.searches.length).toBeGreaterThanOrEqual(4);
    expect(history.searches.length).toBeLessThanOrEqual(6);
    await jest.advanceTimersByTimeAsync(60_000);
    const { length } = history.searches;
    await jest.advanceTimersByTimeAsync(60_000);
    expect(history.searches).toHaveLength(length);
  });

  it('searches once more after a change during a request', async () => {
    const answered: ((results: SearchResults) => void)[] = [];
    history.search = () => new Promise(resolve => answered.push(resolve));
    search.query = 'x';
    await pause();
    history.notify({ notebookId: 'nb', cellId: 'a' });
    await jest.advanceTimersByTimeAsync(60_000);
    expect(answered).toHaveLength(1);
    answered[0](answer(hitOf(1)));
    await jest.advanceTimersByTimeAsync(60_000);
    expect(answered).toHaveLength(2);
    answered[1](answer(hitOf(2), hitOf(1)));
    await settle();
    expect(search.results?.results).toHaveLength(2);
  });

  it('loses no change while loading the next page', async () => {
    history.searchResults = { ...answer(hitOf(1)), total: 2 };
    search.query = 'x';
    await pause();
    history.notify({ notebookId: 'nb', cellId: 'a' });
    await search.loadMore();
    expect(history.searches).toHaveLength(2);
    await jest.advanceTimersByTimeAsync(60_000);
    expect(history.searches.map(({ request }) => request.offset)).toEqual([
      0, 1, 0
    ]);
  });

  it('sends no requests while inactive', async () => {
    search.isActive = false;
    search.query = 'x';
    await pause();
    expect(history.searches).toEqual([]);
    search.isActive = true;
    await pause();
    expect(history.searches.map(({ request }) => request.query)).toEqual(['x']);
  });
});
