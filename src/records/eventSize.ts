/**
 * Makes events small enough for a request.
 *
 * Invariant: the server never rejects an event for its size. If its source is too large, the event
 * is recorded without it, but with the source's length (`too_long`).
 */
import type { EventBody } from '../api/types';

/** In characters, as in `requests.py`. */
export const MAX_SOURCE_LENGTH = 1_000_000;
/** The server accepts requests of up to 3 MiB. */
export const MAX_EVENT_BYTES = 2_400_000;

/** As JSON in a request. */
export function byteSize(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).length;
}

/**
 * Return the event, or else a smaller copy. The source that a restore or accept replaced
 * (`data.replaced`) and the corrections of an accepted suggestion are removed first, then the
 * event's own source or, if it has none, all of its data.
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
