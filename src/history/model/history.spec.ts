import { ApiError } from '../../api/request';
import type { ChangesBody } from '../../api/types';
import { HistoryApi, HistoryModel } from './history';

const KEY = { notebookId: 'nb', cellId: 'c1' };

function createHistory(api: Partial<HistoryApi>): HistoryModel {
  return new HistoryModel(api as HistoryApi);
}

describe('HistoryModel', () => {
  it('emits changed after the events were written, and not if that fails', async () => {
    const changes: unknown[] = [];
    const record = jest
      .fn()
      .mockImplementationOnce(async () => {
        expect(changes).toEqual([]);
        return [];
      })
      .mockRejectedValueOnce(new ApiError(507, 'storage_full', 'full'));
    const history = createHistory({ record });
    history.changed.connect((_, key) => changes.push(key));
    await history.record(KEY, [{ type: 'accept' }]);
    expect(changes).toEqual([{ ...KEY, isRemote: false }]);
    await expect(history.record(KEY, [{ type: 'accept' }])).rejects.toThrow();
    expect(changes).toHaveLength(1);
  });

  it('runs enqueued work between the changes before and after it (P28)', async () => {
    const sent: string[] = [];
    let isOffline = true;
    const recordChanges = async (_: string, { order }: ChangesBody) => {
      if (isOffline) {
        throw new TypeError('fetch failed');
      }
      await Promise.resolve();
      sent.push(order![0].id);
      return { cells: {}, seq: 0 };
    };
    const history = createHistory({ recordChanges });
    const change = (id: string) =>
      history.recordChange('nb', { cells: [], order: [{ id, type: 'code' }] });
    const register = async () => sent.push('register');
    change('retried');
    await history.settled('nb');
    isOffline = false;
    change('before');
    const registered = history.enqueue('nb', register);
    change('after');
    await registered;
    await history.settled('nb');
    expect(sent).toEqual(['retried', 'before', 'register', 'after']);
  });
});
