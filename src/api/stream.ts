/**
 * Reads the `text/event-stream` response of a POST request. The browser's `EventSource` sends only
 * GET requests, without the XSRF header.
 */
import { withTimeout } from './timeout';
import type { StreamEvent } from './types';

/**
 * After this number of ticks of 5 s without data, the connection counts as dead. The server sends a
 * heartbeat after each 5 s without an event.
 */
const TIMEOUT_TICKS = 6;

/**
 * Yield the events of a stream. Heartbeats, which are comments, and an unfinished event at the end
 * are left out.
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

/** Null if the block contains only comments. */
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
