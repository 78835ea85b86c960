/**
 * The layout of a notebook's activity chart: time from left to right, in buckets of equal width. A
 * long gap between two moments is shortened, so that an hour of work stays visible next to a week
 * without work. Invariant: positions increase, even if timestamps are invalid or out of order.
 */
import type { Moment } from '../../../api/types';
import { contributorTone } from '../../../labels/contributorLabels';

/** The longest and the shortest gap that is drawn between two moments, in milliseconds. */
const MAX_GAP_MS = 5 * 60_000;
const MIN_GAP_MS = 4_000;

export interface IBucketCounts {
  readonly model: number;
  readonly hand: number;
  readonly agent: number;
  readonly other: number;
}

/** Return each moment's position on the chart, from 0. "Now" is at 1, after all moments. */
export function chartPositionsOf(
  moments: readonly Pick<Moment, 'timestamp'>[]
): number[] {
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

export function countByBucket(
  moments: readonly Pick<Moment, 'author'>[],
  positions: readonly number[],
  bucketCount: number
): IBucketCounts[] {
  const buckets = Array.from({ length: bucketCount }, () => ({
    model: 0,
    hand: 0,
    agent: 0,
    other: 0
  }));
  moments.forEach((moment, index) => {
    const bucket = Math.floor(positions[index] * bucketCount);
    buckets[Math.min(bucketCount - 1, bucket)][contributorTone(moment)]++;
  });
  return buckets;
}

/** Return the moment nearest to a position on the chart; the number of moments for "now". */
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
