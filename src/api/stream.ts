/**
 * Reads the `text/event-stream` response of a POST request. The browser's `EventSource` can't do
 * this, because it sends only GET requests, without the XSRF header.
 */
import { withTimeout } from './timeout';
import type { StreamEvent } from './types';

/**
 * After this number of ticks (see `timeout.ts`) without data, the connection counts as dead. A tick
 * takes 5 s, and the server sends a heartbeat after each 5 s without an event.
 */
const TIMEOUT_TICKS = 6;

/**
 * Yield the events of a stream, in order, until the stream ends. Heartbeats, which are comments in
 * the stream, are skipped. If the stream ends in the middle of an event, that event is skipped,
 * too.
 *
 * @throws TimeoutError if neither events nor heartbeats arrive; SyntaxError for a malformed event;
 * an error of the browser if the connection is lost.
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
      let eventEnd: number;
      while ((eventEnd = buffer.indexOf('\n\n')) >= 0) {
        const event = parseEvent<E>(buffer.slice(0, eventEnd));
        buffer = buffer.slice(eventEnd + 2);
        if (event) {
          yield event;
        }
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** Return the event in a block of lines; null if the block contains only comments. */
function parseEvent<E>(block: string): E | null {
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
