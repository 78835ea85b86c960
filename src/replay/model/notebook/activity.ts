/**
 * The layout of a notebook's activity chart: a position for each moment, and counts per bucket.
 *
 * The axis shows working time, not clock time: a long gap between two moments is drawn as a short
 * gap, so that an hour of work is still visible next to a week without work.
 *
 * Invariants: each moment's position is greater than that of the moment before, even if their
 * timestamps are invalid or out of order.
 */
import type { Moment } from '../../../api/types';

/** The length with which a longer gap is drawn, in milliseconds. */
const MAX_GAP_MS = 5 * 60_000;
/** The length with which a shorter gap is drawn, in milliseconds. */
const MIN_GAP_MS = 4_000;

/** The number of moments in one bucket, by contributor. */
export interface IActivity {
  readonly model: number;
  readonly hand: number;
  /** Moments of programs, agents and unknown contributors. */
  readonly other: number;
}

/** Compute the position of each moment: at least 0, and less than 1, which is now. */
export function momentPositions(
  moments: readonly Pick<Moment, 'timestamp'>[]
): number[] {
  const positions: number[] = [];
  let end = 0;
  let previousTime = Number.NaN;
  for (const { timestamp } of moments) {
    const time = Date.parse(timestamp);
    const gap = time - previousTime;
    end += positions.length
      ? Math.max(MIN_GAP_MS, Math.min(MAX_GAP_MS, gap || 0))
      : 0;
    previousTime = Number.isNaN(time) ? previousTime : time;
    positions.push(end);
  }
  // Leave room for "now" after the last moment: at least a fortieth of the chart.
  const now = end + Math.max(MIN_GAP_MS, end / 40);
  return positions.map(position => position / now);
}

/** Count the moments in each of `bucketCount` buckets of equal width. */
export function activityOf(
  moments: readonly Pick<Moment, 'author'>[],
  positions: readonly number[],
  bucketCount: number
): IActivity[] {
  const buckets = Array.from({ length: bucketCount }, () => ({
    model: 0,
    hand: 0,
    other: 0
  }));
  moments.forEach(({ author }, index) => {
    const bucket = Math.floor(positions[index] * bucketCount);
    const kind =
      author === 'model' ? 'model' : author === 'person' ? 'hand' : 'other';
    buckets[Math.min(bucketCount - 1, bucket)][kind]++;
  });
  return buckets;
}

/** Return the index of the moment nearest to `target`; the number of moments if "now" is nearest. */
export function nearestMoment(
  positions: readonly number[],
  target: number
): number {
  const next = positions.findIndex(position => position >= target);
  const index = next < 0 ? positions.length : next;
  const distance = (to: number) => Math.abs(target - (positions[to] ?? 1));
  return index > 0 && distance(index - 1) <= distance(index)
    ? index - 1
    : index;
}
