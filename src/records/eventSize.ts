/**
 * Makes events small enough for a request.
 *
 * Invariant: no event is rejected for its size, and no event loses its source silently. An event
 * whose source is too large is recorded with the source's length instead (`too_long`).
 */
import type { EventBody } from '../api/types';

/** The largest number of characters of a source that the server accepts (`requests.py`). */
export const MAX_SOURCE_LENGTH = 1_000_000;
/** The largest size of one event, in bytes. The server accepts requests of 3 MiB. */
export const MAX_EVENT_BYTES = 2_400_000;

/** The size of a value in a request, in bytes. */
export function byteSize(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).length;
}

/**
 * Return the event, without the texts that are too large: first without the text that it replaced
 * (`replaced`), then without its source, then without all other data.
 */
export function fitToLimit(event: EventBody): EventBody {
  const { source, data = {}, ...eventRest } = event;
  const { replaced, ...otherData } = data as Record<string, unknown>;
  const length = source?.length ?? 0;
  if (length <= MAX_SOURCE_LENGTH && byteSize(event) <= MAX_EVENT_BYTES) {
    return event;
  }
  if (typeof replaced === 'string') {
    const reduced = { ...otherData, replaced_too_long: replaced.length };
    return fitToLimit({ ...event, data: reduced });
  }
  return typeof source === 'string'
    ? { ...eventRest, data: { ...otherData, too_long: length } }
    : { ...eventRest, data: { too_long: 0 } };
}
