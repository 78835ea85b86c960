import { ApiError } from '../api/request';
import type { Replay, SessionSummary } from '../api/types';
import { HistoryApi, HistoryModel } from './history';

const KEY = { notebookId: 'nb', cellId: 'c1' };

function make(api: Partial<HistoryApi>): HistoryModel {
  return new HistoryModel(api as HistoryApi);
}

/** The calls of a server that keeps sessions of these cells. */
function server(...kept: string[]) {
  return {
    sessions: jest.fn(async () => ({
      sessions: kept.map(cellId => ({ cellId }) as SessionSummary),
      total: kept.length
    })),
    replay: jest.fn(
      async (notebookId: string, cellId: string): Promise<Replay> => {
        if (!kept.includes(cellId)) {
          throw new ApiError(404, 'not_found', 'nothing');
        }
        return { notebookId, cellId, revision: 1, steps: [] };
      }
    ),
    kept
  };
}

describe('HistoryModel', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('asks for no cell of which nothing is kept: the console would call it an error', async () => {
    const api = server('c2');
    const history = make(api);
    expect(await history.replay(KEY)).toBeNull();
    expect(await history.replay({ ...KEY, cellId: 'c2' })).not.toBeNull();
    expect(await history.replay({ ...KEY, cellId: 'c3' })).toBeNull();
    // One list for the notebook, then the one cell that it names.
    expect(api.sessions).toHaveBeenCalledTimes(1);
    expect(api.replay).toHaveBeenCalledTimes(1);
  });

  it('knows at once of what was written here, and after a while of what others wrote', async () => {
    const clock = jest.spyOn(Date, 'now').mockReturnValue(1000);
    const api = server();
    const history = make(api);
    expect(await history.replay(KEY)).toBeNull();
    api.kept.push('c1', 'c2');
    history.notify(KEY);
    expect(await history.replay(KEY)).not.toBeNull();
    const other = { ...KEY, cellId: 'c2' };
    expect(await history.replay(other)).toBeNull();
    clock.mockReturnValue(20_000);
    expect(await history.replay(other)).not.toBeNull();
    expect(api.sessions).toHaveBeenCalledTimes(2);
  });

  it('says null of a cell whose session is gone meanwhile', async () => {
    const api = server('c1');
    const history = make(api);
    expect(await history.replay(KEY)).not.toBeNull();
    api.kept.pop();
    expect(await history.replay(KEY)).toBeNull();
  });

  it('passes errors on, and asks anew after one', async () => {
    const broken = new ApiError(503, 'storage_error', 'broken');
    const api = server('c1');
    const history = make(api);
    api.sessions.mockRejectedValueOnce(broken);
    await expect(history.replay(KEY)).rejects.toBe(broken);
    api.replay.mockRejectedValueOnce(broken);
    await expect(history.replay(KEY)).rejects.toBe(broken);
    expect(await history.replay(KEY)).not.toBeNull();
  });

  it('reads all pages of the summaries', async () => {
    const all = Array.from(
      { length: 5 },
      (_, i) => ({ cellId: `c${i}` }) as SessionSummary
    );
    const sessions = jest.fn(async (_id: string, offset = 0) => ({
      sessions: all.slice(offset, offset + 2),
      total: all.length
    }));
    expect(await make({ sessions }).summaries('nb')).toEqual(all);
    expect(sessions).toHaveBeenCalledTimes(3);
  });

  it('does not ask for ever where a page is empty', async () => {
    const sessions = jest.fn(async () => ({ sessions: [], total: 9 }));
    expect(await make({ sessions }).summaries('nb')).toEqual([]);
  });

  it('tells of a record after it was written, and not if it was not', async () => {
    const told: unknown[] = [];
    const record = jest
      .fn()
      .mockImplementationOnce(async () => {
        expect(told).toEqual([]);
        return [];
      })
      .mockRejectedValueOnce(new ApiError(507, 'storage_full', 'full'));
    const history = make({ record });
    history.changed.connect((_, key) => told.push(key));
    await history.record(KEY, [{ type: 'accept' }]);
    expect(told).toEqual([KEY]);
    await expect(history.record(KEY, [{ type: 'accept' }])).rejects.toThrow();
    expect(told).toHaveLength(1);
  });
});
