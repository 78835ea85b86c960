/**
 * Reads the `text/event-stream` response of a POST request. The browser's `EventSource` isn't used,
 * because it can neither send a POST request nor the XSRF header.
 */
import { withTimeout } from './timeout';
import type { StreamEvent } from './types';

/**
 * The number of ticks (see `timeout.ts`) without data after which a stream counts as dead. A server
 * without data sends a heartbeat each tick.
 */
const TIMEOUT_TICKS = 6;

/**
 * Yield the events of a stream, in order, until the stream ends. Comments (heartbeats) are
 * skipped. If the stream is cut in the middle of an event, nothing is yielded for that event.
 *
 * @throws TimeoutError if not even heartbeats arrive; SyntaxError for a malformed event.
 */
export async function* readEvents<E = StreamEvent>(
  body: ReadableStream<Uint8Array>
): AsyncGenerator<E, void, void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let buffer = '';
  try {
    for (;;) {
      const { done, value } = await withTimeout(reader.read(), TIMEOUT_TICKS);
      if (done) {
        return;
      }
      buffer += decoder.decode(value, { stream: true });
      let end: number;
      while ((end = buffer.indexOf('\n\n')) >= 0) {
        const event = parse<E>(buffer.slice(0, end));
        buffer = buffer.slice(end + 2);
        if (event) {
          yield event;
        }
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function parse<E>(block: string): E | null {
  let type = '';
  const data: string[] = [];
  for (const line of block.split('\n')) {
    if (line.startsWith('event: ')) {
      type = line.slice(7);
    } else if (line.startsWith('data: ')) {
      data.push(line.slice(6));
    }
  }
  if (!type || !data.length) {
    return null;
  }
  return { type, ...JSON.parse(data.join('\n')) } as E;
}
