/**
 * The notebook's activity chart: bars of moments by contributor. It is also a slider over all
 * moments and "now".
 */
import React from 'react';

import {
  countByBucket,
  IBucketCounts,
  nearestMoment
} from '../../model/notebook/activity';
import type { Moment } from '../../../api/types';
import { ISliderBaseProps, SliderBase } from '../slider';

/** The number of bars. Each bar shows one bucket; see `countByBucket`. */
const BUCKET_COUNT = 64;

interface IScrubberProps extends Pick<
  ISliderBaseProps,
  'label' | 'valueText' | 'onMove'
> {
  moments: readonly Moment[];
  /** The position of each moment on the chart; see `chartPositionsOf`. */
  chartPositions: readonly number[];
  position: number;
}

export function Scrubber(props: IScrubberProps): React.JSX.Element {
  const { moments, chartPositions, position } = props;
  // "Now" is at 1, the right end of the chart.
  const left = `${(chartPositions[position] ?? 1) * 100}%`;
  return (
    <SliderBase
      {...props}
      className="jp-AIServer-Replay-scrubber"
      trackClass="jp-AIServer-Replay-line"
      count={moments.length + 1}
      positionAt={fraction => nearestMoment(chartPositions, fraction)}
    >
      <Bars moments={moments} chartPositions={chartPositions} />
      <div className="jp-AIServer-Replay-cursor" style={{ left }} />
    </SliderBase>
  );
}

const totalOf = ({ model, hand, agent, other }: IBucketCounts) =>
  model + hand + agent + other;

const Bars = React.memo(function Bars(props: {
  moments: readonly Moment[];
  chartPositions: readonly number[];
}): React.JSX.Element {
  const { moments, chartPositions } = props;
  const buckets = countByBucket(moments, chartPositions, BUCKET_COUNT);
  const maxTotal = Math.max(...buckets.map(totalOf));
  // Use the square root, so that bars for small counts are visible next to a large count.
  const height = (count: number) =>
    `${Math.sqrt(count / (maxTotal || 1)) * 100}%`;
  return (
    <div className="jp-AIServer-Replay-heat">
      {buckets.map((bucket, index) => (
        <i key={index} style={{ height: height(totalOf(bucket)) }}>
          {(['other', 'agent', 'hand', 'model'] as const)
            .filter(kind => bucket[kind])
            .map(kind => (
              <b
                key={kind}
                className={`jp-mod-${kind}`}
                style={{ flexGrow: bucket[kind] }}
              />
            ))}
        </i>
      ))}
    </div>
  );
});
