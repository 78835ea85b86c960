import { ApiError } from '../../api/request';
import { HistoryApi, HistoryModel } from './history';

const KEY = { notebookId: 'nb', cellId: 'c1' };
const FULL = new ApiError(507, 'storage_full', 'full');

describe('what could not be noted', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  function make() {
    const sent: { type: string; timestamp?: string | null }[] = [];
    const record = jest.fn(
      async (_notebook: string, _cell: string, events: typeof sent) => {
        sent.push(...events);
        return [];
      }
    );
    const history = new HistoryModel({ record } as unknown as HistoryApi);
    const told: unknown[] = [];
    history.changed.connect((_, key) => told.push(key));
    return { history, record, sent, told };
  }

  it('is noted later: in order, once, with its own time', async () => {
    const { history, record, sent, told } = make();
    record.mockRejectedValueOnce(FULL).mockRejectedValueOnce(FULL);
    jest.setSystemTime(new Date('2026-01-01T00:00:00Z'));
    await expect(history.record(KEY, [{ type: 'accept' }])).rejects.toThrow();
    await expect(history.record(KEY, [{ type: 'restore' }])).rejects.toThrow();
    expect(told).toEqual([]);
    expect(history.hasUnsent).toBe(true);
    await jest.advanceTimersByTimeAsync(120_000);
    expect(history.hasUnsent).toBe(false);
    expect(sent.map(({ type }) => type)).toEqual(['accept', 'restore']);
    expect(sent[0].timestamp).toBe('2026-01-01T00:00:00.000Z');
    expect(told).toEqual([{ ...KEY, isRemote: false }]);
    await jest.advanceTimersByTimeAsync(600_000);
    expect(sent).toHaveLength(2);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('keeps its name when it is sent again, for the first answer may be lost', async () => {
    const { history, record } = make(); // P36
    record.mockRejectedValueOnce(new ApiError(0, 'unreachable', ''));
    const done = [{ type: 'accept' }, { type: 'edit' }];
    await expect(history.record(KEY, done)).rejects.toThrow();
    await jest.advanceTimersByTimeAsync(120_000);
    const ids = record.mock.calls.map(([, , events]) =>
      events.map(event => (event as { id?: string }).id)
    );
    expect(ids).toHaveLength(2);
    expect(ids[1]).toEqual(ids[0]);
    expect(new Set(ids[0]).size).toBe(2);
    expect(ids[0][0]).toMatch(/^[\w-]{36}$/);
  });

  it('is noted as soon as the server writes again', async () => {
    const { history, record, sent } = make();
    record.mockRejectedValueOnce(new ApiError(0, 'unreachable', ''));
    await expect(history.record(KEY, [{ type: 'accept' }])).rejects.toThrow();
    history.notify({ notebookId: 'nb', cellId: 'other' });
    await jest.advanceTimersByTimeAsync(0);
    expect(sent).toHaveLength(1);
  });

  it('waits no longer for all that is done meanwhile', async () => {
    const { history, record, sent } = make(); // P20
    record.mockRejectedValue(FULL);
    for (let deed = 0; deed < 8; deed++) {
      await expect(history.record(KEY, [{ type: 'edit' }])).rejects.toThrow();
    }
    await jest.advanceTimersByTimeAsync(5000);
    record.mockImplementation(async (_notebook, _cell, events) => {
      sent.push(...events);
      return [];
    });
    await jest.advanceTimersByTimeAsync(10_000);
    expect(sent).toHaveLength(8);
    // Nor is it asked more and more often where it goes on failing.
    record.mockClear();
    record.mockRejectedValue(FULL);
    await expect(history.record(KEY, [{ type: 'edit' }])).rejects.toThrow();
    await jest.advanceTimersByTimeAsync(600_000);
    expect(record.mock.calls.length).toBeLessThan(16);
  });

  it('is not tried again where that can’t help', async () => {
    const { history, record, sent } = make();
    const stale = new ApiError(412, 'stale_revision', 'stale');
    record.mockRejectedValueOnce(stale);
    await expect(history.record(KEY, [{ type: 'accept' }])).rejects.toBe(stale);
    await jest.advanceTimersByTimeAsync(600_000);
    expect(sent).toEqual([]);
  });

  it('holds nothing up that came after, once it is noted', async () => {
    const { history, record, sent, told } = make();
    record.mockRejectedValueOnce(FULL);
    await expect(history.record(KEY, [{ type: 'accept' }])).rejects.toThrow();
    await history.record(KEY, [{ type: 'restore' }]);
    expect(sent.map(({ type }) => type)).toEqual(['accept', 'restore']);
    expect(told).toHaveLength(1);
  });

  it('is noted of one cell while that of another can’t be', async () => {
    const { history, record, sent, told } = make();
    const other = { notebookId: 'nb', cellId: 'c2' };
    const broken = new ApiError(500, 'session_corrupt', 'broken');
    record.mockRejectedValue(broken);
    await expect(history.record(KEY, [{ type: 'accept' }])).rejects.toThrow();
    await expect(history.record(other, [{ type: 'edit' }])).rejects.toThrow();
    record.mockImplementation(async (_, cell, events) => {
      if (cell === KEY.cellId) {
        throw broken;
      }
      sent.push(...events);
      return [];
    });
    await jest.advanceTimersByTimeAsync(60_000);
    expect(sent.map(({ type }) => type)).toEqual(['edit']);
    expect(told).toEqual([{ ...other, isRemote: false }]);
  });

  it.each<[string, number]>([
    ['unreachable', 0],
    ['unauthenticated', 403]
  ])('asks once a round where all is %s', async (code, status) => {
    const { history, record } = make();
    record.mockRejectedValue(new ApiError(status, code, ''));
    const other = { notebookId: 'nb', cellId: 'c2' };
    await expect(history.record(KEY, [{ type: 'accept' }])).rejects.toThrow();
    await expect(history.record(other, [{ type: 'edit' }])).rejects.toThrow();
    record.mockClear();
    await jest.advanceTimersByTimeAsync(5000);
    expect(record).toHaveBeenCalledTimes(1);
  });
});
