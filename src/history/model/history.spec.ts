import { ApiError } from '../../api/request';
import type { ChangesBody, SessionSummary } from '../../api/types';
import { HistoryApi, HistoryModel } from './history';

const KEY = { notebookId: 'nb', cellId: 'c1' };

function make(api: Partial<HistoryApi>): HistoryModel {
  return new HistoryModel(api as HistoryApi);
}

describe('HistoryModel', () => {
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

  it('asks for the models once for all rows that ask at the same time', async () => {
    const models = jest.fn(async () => ({ models: [] }));
    const history = make({ models } as unknown as HistoryApi);
    await Promise.all([history.models(), history.models(), history.models()]);
    expect(models).toHaveBeenCalledTimes(1);
    await history.models(); // Something may have changed since.
    expect(models).toHaveBeenCalledTimes(2);
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
    expect(told).toEqual([{ ...KEY, isRemote: false }]);
    await expect(history.record(KEY, [{ type: 'accept' }])).rejects.toThrow();
    expect(told).toHaveLength(1);
  });

  it('tells where a notebook is between the changes before and after (P28)', async () => {
    const sent: string[] = [];
    let isUnreachable = true;
    const recordChanges = async (_: string, { order }: ChangesBody) => {
      if (isUnreachable) {
        throw new TypeError('fetch failed');
      }
      await Promise.resolve();
      sent.push(order![0].id);
      return { cells: {}, seq: 0 };
    };
    const history = make({ recordChanges });
    const change = (id: string) =>
      history.recordChange('nb', { cells: [], order: [{ id, type: 'code' }] });
    const register = async () => sent.push('register');
    change('kept until it can be sent');
    await history.flushed('nb');
    isUnreachable = false;
    change('before');
    const registered = history.enqueue('nb', register);
    change('after');
    await registered;
    await history.flushed('nb');
    const kept = 'kept until it can be sent';
    expect(sent).toEqual([kept, 'before', 'register', 'after']);
  });
});
