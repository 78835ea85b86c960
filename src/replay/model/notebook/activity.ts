/**
 * The layout of a notebook's activity chart: a position for each moment, and counts per bucket.
 *
 * The axis shows working time, not clock time: a long gap counts as a short one, so that an hour
 * of work is visible next to a week without any.
 *
 * Invariants: positions increase in the order of the moments, whatever their timestamps.
 */
import type { Moment } from '../../../api/types';

/** Longer gaps count as this long, in milliseconds. */
const MAX_GAP_MS = 5 * 60_000;
/** Shorter gaps count as this long, in milliseconds. */
const MIN_GAP_MS = 4_000;

/** The number of moments in one bucket, by contributor. */
export interface IActivity {
  readonly model: number;
  readonly hand: number;
  /** Moments of programs, agents and unknown contributors. */
  readonly other: number;
}

/** The position of each moment, from 0 to below 1; 1 is now. */
export function momentPositions(
  moments: readonly Pick<Moment, 'timestamp'>[]
): number[] {
  const positions: number[] = [];
  let at = 0;
  let previous = Number.NaN;
  for (const { timestamp } of moments) {
    const time = Date.parse(timestamp);
    const gap = time - previous;
    at += positions.length
      ? Math.max(MIN_GAP_MS, Math.min(MAX_GAP_MS, gap || 0))
      : 0;
    previous = Number.isNaN(time) ? previous : time;
    positions.push(at);
  }
  // Leave room for "now" after the last moment.
  const end = at + Math.max(MIN_GAP_MS, at / 40);
  return positions.map(position => position / end);
}

/** The number of moments in each of `count` buckets of equal width. */
export function activityOf(
  moments: readonly Pick<Moment, 'author'>[],
  positions: readonly number[],
  count: number
): IActivity[] {
  const buckets = Array.from({ length: count }, () => ({
    model: 0,
    hand: 0,
    other: 0
  }));
  moments.forEach(({ author }, index) => {
    const at = Math.min(count - 1, Math.floor(positions[index] * count));
    const kind =
      author === 'model' ? 'model' : author === 'person' ? 'hand' : 'other';
    buckets[at][kind]++;
  });
  return buckets;
}

/** The index of the moment nearest to a position; the number of moments for "now". */
export function nearestMoment(
  positions: readonly number[],
  at: number
): number {
  const next = positions.findIndex(position => position >= at);
  const index = next < 0 ? positions.length : next;
  const distance = (to: number) => Math.abs(at - (positions[to] ?? 1));
  return index > 0 && distance(index - 1) <= distance(index)
    ? index - 1
    : index;
}
