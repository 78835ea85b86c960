/**
 * Makes events small enough to be sent in a request.
 *
 * Invariant: the server never rejects an event for its size. If the source of an event is too
 * large, the event is recorded without the source, but with the source's length (`too_long`).
 */
import type { EventBody } from '../api/types';

/** The maximum length of a source, in characters. `requests.py` has the same limit. */
export const MAX_SOURCE_LENGTH = 1_000_000;
/** The maximum size of one event, in bytes. The server accepts requests of up to 3 MiB. */
export const MAX_EVENT_BYTES = 2_400_000;

/** Return the number of bytes that a value takes as JSON in a request. */
export function byteSize(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).length;
}

/**
 * Return the event if it is small enough, or else a smaller copy. The source that a restore or
 * accept replaced (`data.replaced`) and the corrections of an accepted suggestion are removed first.
 * If the event is still too large, its own source is removed. If it has no source, all of its data
 * is removed.
 */
export function fitToLimit(event: EventBody): EventBody {
  const { source, data = {}, ...eventRest } = event;
  const { replaced, corrections, corrected, ...otherData } = data as Record<
    string,
    unknown
  >;
  const length = source?.length ?? 0;
  if (length <= MAX_SOURCE_LENGTH && byteSize(event) <= MAX_EVENT_BYTES) {
    return event;
  }
  if (typeof replaced === 'string') {
    const reduced = { ...otherData, replaced_too_long: replaced.length };
    return fitToLimit({ ...event, data: reduced });
  }
  if (corrections !== undefined || corrected !== undefined) {
    return fitToLimit({ ...event, data: otherData });
  }
  return typeof source === 'string'
    ? { ...eventRest, data: { ...otherData, too_long: length } }
    : { ...eventRest, data: { too_long: 0 } };
}
