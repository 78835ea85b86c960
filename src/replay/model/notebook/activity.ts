/**
 * When a notebook was worked on: moments laid out on a line, and how much happened where.
 * Numbers only.
 *
 * The line is one of work, not of the clock: a pause counts as a short one however long it was,
 * so that an hour's work is not a speck beside the week that went by. What must hold: moments
 * stand in their own order whatever their clocks say, and each has a place of its own.
 */
import type { Moment } from '../../../api/types';

/** A pause longer than this is none of work, in milliseconds. */
const PAUSE_MS = 5 * 60_000;
/** Two moments of the same millisecond are still two. */
const LEAST_MS = 4_000;

/** What happened in one stretch of the line. */
export interface IActivity {
  readonly model: number;
  readonly hand: number;
  /** By programs and agents, and what nobody knows of. */
  readonly other: number;
  /** The first of its moments; -1 if there is none. */
  readonly first: number;
}

/** For each moment its place, from 0 to below 1; 1 is now. */
export function placesOf(
  moments: readonly Pick<Moment, 'timestamp'>[]
): number[] {
  const places: number[] = [];
  let at = 0;
  let before = Number.NaN;
  for (const { timestamp } of moments) {
    const time = Date.parse(timestamp);
    const pause = time - before;
    at += places.length
      ? Math.max(LEAST_MS, Math.min(PAUSE_MS, pause || 0))
      : 0;
    before = Number.isNaN(time) ? before : time;
    places.push(at);
  }
  // Behind the last one there is room for "now".
  const end = at + Math.max(LEAST_MS, at / 40);
  return places.map(place => place / end);
}

/** How much happened in each of `count` stretches. */
export function activityOf(
  moments: readonly Pick<Moment, 'author'>[],
  places: readonly number[],
  count: number
): IActivity[] {
  const found = Array.from({ length: count }, () => ({
    model: 0,
    hand: 0,
    other: 0,
    first: -1
  }));
  moments.forEach(({ author }, index) => {
    const at = Math.min(count - 1, Math.floor(places[index] * count));
    const stretch = found[at];
    const kind =
      author === 'model' ? 'model' : author === 'person' ? 'hand' : 'other';
    stretch[kind]++;
    stretch.first = stretch.first < 0 ? index : stretch.first;
  });
  return found;
}

/** The moment nearest to a place on the line; their number itself is now. */
export function nearest(places: readonly number[], at: number): number {
  let low = 0;
  let high = places.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (places[middle] < at) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  const place = (index: number) => places[index] ?? 1;
  return low > 0 && at - place(low - 1) <= place(low) - at ? low - 1 : low;
}
