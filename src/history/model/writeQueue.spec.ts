import { ApiError } from '../../api/request';
import { HistoryApi, HistoryModel } from './history';

const KEY = { notebookId: 'nb', cellId: 'c1' };
const FULL = new ApiError(507, 'storage_full', 'full');

describe('events that could not be recorded', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  function setup() {
    const sent: { type: string; timestamp?: string | null }[] = [];
    const record = jest.fn(async (_key: typeof KEY, events: typeof sent) => {
      sent.push(...events);
      return [];
    });
    const history = new HistoryModel({ record } as unknown as HistoryApi);
    const changes: unknown[] = [];
    history.changed.connect((_, key) => changes.push(key));
    return { history, record, sent, changes };
  }

  it('are recorded later: in order, once, with their timestamps', async () => {
    const { history, record, sent, changes } = setup();
    record.mockRejectedValueOnce(FULL).mockRejectedValueOnce(FULL);
    jest.setSystemTime(new Date('2026-01-01T00:00:00Z'));
    await expect(history.record(KEY, [{ type: 'accept' }])).rejects.toThrow();
    await expect(history.record(KEY, [{ type: 'restore' }])).rejects.toThrow();
    expect(changes).toEqual([]);
    expect(history.hasUnsent).toBe(true);
    await jest.advanceTimersByTimeAsync(120_000);
    expect(history.hasUnsent).toBe(false);
    expect(sent.map(({ type }) => type)).toEqual(['accept', 'restore']);
    expect(sent[0].timestamp).toBe('2026-01-01T00:00:00.000Z');
    expect(changes).toEqual([{ ...KEY, isRemote: false }]);
    await jest.advanceTimersByTimeAsync(600_000);
    expect(sent).toHaveLength(2);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('keep their ids when they are sent again, because the first response may be lost', async () => {
    const { history, record } = setup(); // P36
    record.mockRejectedValueOnce(new ApiError(0, 'unreachable', ''));
    const events = [{ type: 'accept' }, { type: 'edit' }];
    await expect(history.record(KEY, events)).rejects.toThrow();
    await jest.advanceTimersByTimeAsync(120_000);
    const ids = record.mock.calls.map(([, sentEvents]) =>
      sentEvents.map(event => (event as { id?: string }).id)
    );
    expect(ids).toHaveLength(2);
    expect(ids[1]).toEqual(ids[0]);
    expect(new Set(ids[0]).size).toBe(2);
    expect(ids[0][0]).toMatch(/^[\w-]{36}$/);
  });

  it('are recorded as soon as the server writes again', async () => {
    const { history, record, sent } = setup();
    record.mockRejectedValueOnce(new ApiError(0, 'unreachable', ''));
    await expect(history.record(KEY, [{ type: 'accept' }])).rejects.toThrow();
    history.notify({ notebookId: 'nb', cellId: 'other' });
    await jest.advanceTimersByTimeAsync(0);
    expect(sent).toHaveLength(1);
  });

  it('don’t wait longer for events that are added meanwhile', async () => {
    const { history, record, sent } = setup(); // P20
    record.mockRejectedValue(FULL);
    for (let count = 0; count < 8; count++) {
      await expect(history.record(KEY, [{ type: 'edit' }])).rejects.toThrow();
    }
    await jest.advanceTimersByTimeAsync(5000);
    record.mockImplementation(async (_key, events) => {
      sent.push(...events);
      return [];
    });
    await jest.advanceTimersByTimeAsync(10_000);
    expect(sent).toHaveLength(8);
    // Repeated failures don't increase the number of requests either.
    record.mockClear();
    record.mockRejectedValue(FULL);
    await expect(history.record(KEY, [{ type: 'edit' }])).rejects.toThrow();
    await jest.advanceTimersByTimeAsync(600_000);
    expect(record.mock.calls.length).toBeLessThan(16);
  });

  it('are not retried after a permanent failure', async () => {
    const { history, record, sent } = setup();
    const stale = new ApiError(412, 'stale_revision', 'stale');
    record.mockRejectedValueOnce(stale);
    const warn = jest.spyOn(console, 'warn').mockImplementation(() => {});
    await expect(history.record(KEY, [{ type: 'accept' }])).rejects.toBe(stale);
    await jest.advanceTimersByTimeAsync(600_000);
    expect(sent).toEqual([]);
    expect(warn).toHaveBeenCalledTimes(1);
    warn.mockRestore();
  });

  it('don’t block later events once they are recorded', async () => {
    const { history, record, sent, changes } = setup();
    record.mockRejectedValueOnce(FULL);
    await expect(history.record(KEY, [{ type: 'accept' }])).rejects.toThrow();
    await history.record(KEY, [{ type: 'restore' }]);
    expect(sent.map(({ type }) => type)).toEqual(['accept', 'restore']);
    expect(changes).toHaveLength(1);
  });

  it('of one cell are recorded while those of another can’t be', async () => {
    const { history, record, sent, changes } = setup();
    const other = { notebookId: 'nb', cellId: 'c2' };
    const broken = new ApiError(500, 'session_corrupt', 'broken');
    record.mockRejectedValue(broken);
    await expect(history.record(KEY, [{ type: 'accept' }])).rejects.toThrow();
    await expect(history.record(other, [{ type: 'edit' }])).rejects.toThrow();
    record.mockImplementation(async ({ cellId }, events) => {
      if (cellId === KEY.cellId) {
        throw broken;
      }
      sent.push(...events);
      return [];
    });
    await jest.advanceTimersByTimeAsync(60_000);
    expect(sent.map(({ type }) => type)).toEqual(['edit']);
    expect(changes).toEqual([{ ...other, isRemote: false }]);
  });

  it.each<[string, number]>([
    ['unreachable', 0],
    ['unauthenticated', 403]
  ])(
    'lead to only one request per retry while the server is %s',
    async (code, status) => {
      const { history, record } = setup();
      record.mockRejectedValue(new ApiError(status, code, ''));
      const other = { notebookId: 'nb', cellId: 'c2' };
      await expect(history.record(KEY, [{ type: 'accept' }])).rejects.toThrow();
      await expect(history.record(other, [{ type: 'edit' }])).rejects.toThrow();
      record.mockClear();
      await jest.advanceTimersByTimeAsync(5000);
      expect(record).toHaveBeenCalledTimes(1);
    }
  );
});
