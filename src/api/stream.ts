/**
 * Reads a `text/event-stream` answer of a POST. (`EventSource` can neither POST nor send
 * the XSRF header.)
 */
import { within } from './timeout';
import type { StreamEvent } from './types';

/** The server sends a heartbeat each tick (5 s) when it has nothing to say. */
const SILENT_TICKS = 6;

/**
 * Yield the events of a stream, in order. Comments (heartbeats) are passed over. It ends
 * after a terminal event, or when the stream ends; a stream cut in the middle of an
 * event yields nothing for that event.
 *
 * @throws TimeoutError if not even a heartbeat comes any more; SyntaxError for an event that is none.
 */
export async function* readEvents<E = StreamEvent>(
  body: ReadableStream<Uint8Array>
): AsyncGenerator<E, void, void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let buffer = '';
  try {
    for (;;) {
      const { done, value } = await within(reader.read(), SILENT_TICKS);
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
