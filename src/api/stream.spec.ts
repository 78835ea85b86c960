import { TimeoutError, within } from './timeout';
import { readEvents } from './stream';
import type { StreamEvent } from './types';

/** A body that comes in these pieces. */
function body(pieces: Uint8Array[]): ReadableStream<Uint8Array> {
  const rest = [...pieces];
  return {
    getReader: () => ({
      read: async () => ({ done: !rest.length, value: rest.shift() }),
      cancel: async () => undefined
    })
  } as unknown as ReadableStream<Uint8Array>;
}

async function read(pieces: Uint8Array[]): Promise<StreamEvent[]> {
  const events: StreamEvent[] = [];
  for await (const event of readEvents(body(pieces))) {
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
  it('gives the same events wherever the stream is cut into pieces', async () => {
    const whole = await read([BYTES]);
    expect(whole).toEqual([
      { type: 'start', generationId: 'g', turnId: 1 },
      { type: 'token', part: 'code', text: '# 读取 😀\n' },
      { type: 'done', revision: 2 }
    ]);
    for (let at = 1; at < BYTES.length; at++) {
      expect(await read([BYTES.slice(0, at), BYTES.slice(at)])).toEqual(whole);
    }
    expect(await read([...BYTES].map(byte => Uint8Array.of(byte)))).toEqual(
      whole
    );
  });

  it('gives nothing for an event that was cut (P32)', async () => {
    const whole = await read([BYTES]);
    for (let length = 0; length < BYTES.length; length++) {
      const events = await read([BYTES.slice(0, length)]);
      expect(events).toEqual(whole.slice(0, events.length));
      expect(events.some(event => event.type === 'done')).toBe(false);
    }
  });

  it('lets go of the body when the reader stops', async () => {
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

  it('gives up on a connection that died without a word, and lets it go (P36)', async () => {
    jest.useFakeTimers();
    let beat: (value: unknown) => void = () => undefined;
    const cancel = jest.fn(async () => undefined);
    const stream = {
      getReader: () => ({
        read: () => new Promise(resolve => (beat = resolve)),
        cancel
      })
    } as unknown as ReadableStream<Uint8Array>;
    const ended = readEvents(stream)
      .next()
      .catch(reason => reason);
    for (let i = 0; i < 20; i++) {
      // Heartbeats keep it alive for ever.
      await jest.advanceTimersByTimeAsync(15_000);
      beat({ done: false, value: new TextEncoder().encode(': here\n\n') });
    }
    await jest.advanceTimersByTimeAsync(25_000);
    expect(cancel).not.toHaveBeenCalled();
    await jest.advanceTimersByTimeAsync(10_000);
    expect(await ended).toBeInstanceOf(TimeoutError);
    expect(cancel).toHaveBeenCalledTimes(1);
    expect(jest.getTimerCount()).toBe(0);
    jest.useRealTimers();
  });

  it('does not count the time for which the page slept', async () => {
    jest.useFakeTimers();
    let settled = false;
    const waiting = within(new Promise(() => undefined), 6).catch(() => {
      settled = true;
    });
    await jest.advanceTimersByTimeAsync(10_000);
    jest.setSystemTime(Date.now() + 3_600_000); // An hour without a tick.
    await jest.advanceTimersByTimeAsync(15_000);
    expect(settled).toBe(false);
    await jest.advanceTimersByTimeAsync(10_000);
    await waiting;
    expect(settled).toBe(true);
    jest.useRealTimers();
  });
});
