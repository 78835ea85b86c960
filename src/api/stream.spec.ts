import { TimeoutError, withTimeout } from './timeout';
import { readEvents } from './stream';
import type { StreamEvent } from './types';

/** A body that arrives in these chunks. */
function body(chunks: Uint8Array[]): ReadableStream<Uint8Array> {
  const remaining = [...chunks];
  return {
    getReader: () => ({
      read: async () => ({ done: !remaining.length, value: remaining.shift() }),
      cancel: async () => undefined
    })
  } as unknown as ReadableStream<Uint8Array>;
}

async function read(chunks: Uint8Array[]): Promise<StreamEvent[]> {
  const events: StreamEvent[] = [];
  for await (const event of readEvents(body(chunks))) {
    events.push(event);
  }
  return events;
}

const TEXT =
  'event: start\ndata: {"generationId": "g", "turnId": 1}\n\n' +
  ': heartbeat\n\n' +
  'event: token\ndata: {"part": "code", "text": "# 读取 😀\\n"}\n\n' +
  'event: done\ndata: {"revision": 2}\n\n';
const BYTES = new TextEncoder().encode(TEXT);

describe('readEvents', () => {
  it('yields the same events however the stream is split into chunks', async () => {
    const expected = await read([BYTES]);
    expect(expected).toEqual([
      { type: 'start', generationId: 'g', turnId: 1 },
      { type: 'token', part: 'code', text: '# 读取 😀\n' },
      { type: 'done', revision: 2 }
    ]);
    for (let at = 1; at < BYTES.length; at++) {
      expect(await read([BYTES.slice(0, at), BYTES.slice(at)])).toEqual(
        expected
      );
    }
    expect(await read([...BYTES].map(byte => Uint8Array.of(byte)))).toEqual(
      expected
    );
  });

  it('yields nothing for a truncated event (P32)', async () => {
    const expected = await read([BYTES]);
    for (let length = 0; length < BYTES.length; length++) {
      const events = await read([BYTES.slice(0, length)]);
      expect(events).toEqual(expected.slice(0, events.length));
      expect(events.some(event => event.type === 'done')).toBe(false);
    }
  });

  it('cancels the body when the consumer stops', async () => {
    const cancel = jest.fn(async () => undefined);
    const stream = {
      getReader: () => ({
        read: async () => ({ done: false, value: BYTES }),
        cancel
      })
    } as unknown as ReadableStream<Uint8Array>;
    for await (const event of readEvents(stream)) {
      expect(event.type).toBe('start');
      break;
    }
    expect(cancel).toHaveBeenCalledTimes(1);
  });

  it('times out on a dead connection and cancels it (P36)', async () => {
    jest.useFakeTimers();
    let emit: (value: unknown) => void = () => undefined;
    const cancel = jest.fn(async () => undefined);
    const stream = {
      getReader: () => ({
        read: () => new Promise(resolve => (emit = resolve)),
        cancel
      })
    } as unknown as ReadableStream<Uint8Array>;
    const result = readEvents(stream)
      .next()
      .catch(reason => reason);
    for (let i = 0; i < 20; i++) {
      // Heartbeats keep the connection alive.
      await jest.advanceTimersByTimeAsync(15_000);
      emit({ done: false, value: new TextEncoder().encode(': here\n\n') });
    }
    await jest.advanceTimersByTimeAsync(25_000);
    expect(cancel).not.toHaveBeenCalled();
    await jest.advanceTimersByTimeAsync(10_000);
    expect(await result).toBeInstanceOf(TimeoutError);
    expect(cancel).toHaveBeenCalledTimes(1);
    expect(jest.getTimerCount()).toBe(0);
    jest.useRealTimers();
  });

  it('doesn’t count the time that the page slept', async () => {
    jest.useFakeTimers();
    let isTimedOut = false;
    const waiting = withTimeout(new Promise(() => undefined), 6).catch(() => {
      isTimedOut = true;
    });
    await jest.advanceTimersByTimeAsync(10_000);
    jest.setSystemTime(Date.now() + 3_600_000); // An hour without a tick.
    await jest.advanceTimersByTimeAsync(15_000);
    expect(isTimedOut).toBe(false);
    await jest.advanceTimersByTimeAsync(10_000);
    await waiting;
    expect(isTimedOut).toBe(true);
    jest.useRealTimers();
  });
});
