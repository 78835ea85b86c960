/**
 * Fit events into a request, and mark those that are too large.
 *
 * Invariant: no event is rejected for its size, and none loses its source silently. An event whose
 * source is too large is recorded with the source's length instead (`too_long`).
 */
import type { EventBody } from '../api/types';

/** Most characters of a source that the server accepts (`requests.py`). */
export const MAX_SOURCE_LENGTH = 1_000_000;
/** Most bytes of one event; the server accepts requests of 3 MiB. */
export const MAX_EVENT_BYTES = 2_400_000;

/** The size of a value in a request, in bytes. */
export function byteSize(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).length;
}

/** The event, without parts that are too large. */
export function fitToLimit(event: EventBody): EventBody {
  const { source, data = {}, ...rest } = event;
  const { replaced, ...others } = data as Record<string, unknown>;
  const length = source?.length ?? 0;
  if (length <= MAX_SOURCE_LENGTH && byteSize(event) <= MAX_EVENT_BYTES) {
    return event;
  }
  if (typeof replaced === 'string') {
    const reduced = { ...others, replaced_too_long: replaced.length };
    return fitToLimit({ ...event, data: reduced });
  }
  return typeof source === 'string'
    ? { ...rest, data: { ...others, too_long: length } }
    : { ...rest, data: { too_long: 0 } };
}
