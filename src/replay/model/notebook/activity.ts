/**
 * The layout of a notebook's activity chart. The chart's horizontal axis is time, divided into
 * buckets of equal width. Each bucket has a bar that shows the number of its moments.
 *
 * The axis is not to scale: a long gap between two moments is shortened, so that an hour of work is
 * still visible next to a week without work.
 *
 * Invariant: each moment's position on the axis is greater than the previous moment's position,
 * even if the two timestamps are invalid or out of order.
 */
import type { Moment } from '../../../api/types';
import { contributorTone } from '../../../labels/contributorLabels';

/** Longer gaps between two moments are drawn as if they had this length, in milliseconds. */
const MAX_GAP_MS = 5 * 60_000;
/** Shorter gaps between two moments are drawn as if they had this length, in milliseconds. */
const MIN_GAP_MS = 4_000;

/** For each kind of contributor, the number of moments in one bucket. */
export interface IBucketCounts {
  /** The number of moments by models. */
  readonly model: number;
  /** The number of moments by people, who change code by hand. */
  readonly hand: number;
  /** The number of moments by programs, agents and unknown contributors. */
  readonly other: number;
}

/**
 * Return the position of each moment on the axis of the activity chart, as a fraction of the axis.
 * The first moment is at 0. The position of "now" is 1, and all moments have smaller positions.
 */
export function chartPositionsOf(
  moments: readonly Pick<Moment, 'timestamp'>[]
): number[] {
  /**
   * For each moment, the sum of the gaps before it. Each gap counts as at least `MIN_GAP_MS` and at
   * most `MAX_GAP_MS`.
   */
  const offsetsMs: number[] = [];
  let offsetMs = 0;
  let previousTime = Number.NaN;
  for (const { timestamp } of moments) {
    const time = Date.parse(timestamp);
    const gap = time - previousTime;
    offsetMs += offsetsMs.length
      ? Math.max(MIN_GAP_MS, Math.min(MAX_GAP_MS, gap || 0))
      : 0;
    previousTime = Number.isNaN(time) ? previousTime : time;
    offsetsMs.push(offsetMs);
  }
  // Leave some space between the last moment and "now".
  const nowMs = offsetMs + Math.max(MIN_GAP_MS, offsetMs / 40);
  return offsetsMs.map(offset => offset / nowMs);
}

/**
 * Count the moments in each bucket. `positions` are the moments' positions on the chart, and
 * `bucketCount` is the number of buckets.
 */
export function countByBucket(
  moments: readonly Pick<Moment, 'author'>[],
  positions: readonly number[],
  bucketCount: number
): IBucketCounts[] {
  const buckets = Array.from({ length: bucketCount }, () => ({
    model: 0,
    hand: 0,
    other: 0
  }));
  moments.forEach((moment, index) => {
    const bucket = Math.floor(positions[index] * bucketCount);
    buckets[Math.min(bucketCount - 1, bucket)][contributorTone(moment)]++;
  });
  return buckets;
}

/**
 * Return the index of the moment that is nearest to `target`, a position on the chart. If "now" is
 * nearer than all moments, return the number of moments.
 */
export function nearestMoment(
  positions: readonly number[],
  target: number
): number {
  const nextIndex = positions.findIndex(position => position >= target);
  const index = nextIndex < 0 ? positions.length : nextIndex;
  // The index after the last moment stands for "now", whose position is 1.
  const distance = (at: number) => Math.abs(target - (positions[at] ?? 1));
  return index > 0 && distance(index - 1) <= distance(index)
    ? index - 1
    : index;
}
