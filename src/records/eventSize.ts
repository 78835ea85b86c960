/**
 * Fits events into a request, and marks those that are too large.
 *
 * Invariant: an event is never refused for its size, and never loses a source silently. One whose
 * source is too large is recorded with the number of its characters instead (`too_long`).
 */
import type { EventBody } from '../api/types';

/** Characters of a source that the server takes (`requests.py`). */
export const MAX_SOURCE_LENGTH = 1_000_000;
/** Bytes of one event, and of all in one request; the server reads 3 MiB. */
export const MAX_EVENT_BYTES = 2_400_000;

/** Bytes of a value in a request. */
export function byteSize(value: unknown): number {
  const text = JSON.stringify(value);
  let size = text.length;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    // Halves of a pair are two each here, and four bytes together.
    size +=
      code < 0x80 ? 0 : code < 0x800 || (code & 0xf800) === 0xd800 ? 1 : 2;
  }
  return size;
}

/** The event, without what of it is too large. */
export function fitToLimit(event: EventBody): EventBody {
  const { source, data = {}, ...rest } = event;
  const { replaced, ...others } = data as Record<string, unknown>;
  const length = source?.length ?? 0;
  if (length <= MAX_SOURCE_LENGTH && byteSize(event) <= MAX_EVENT_BYTES) {
    return event;
  }
  if (typeof replaced === 'string') {
    const less = { ...others, replaced_too_long: replaced.length };
    return fitToLimit({ ...event, data: less });
  }
  return typeof source === 'string'
    ? { ...rest, data: { ...others, too_long: length } }
    : { ...rest, data: { too_long: 0 } };
}
