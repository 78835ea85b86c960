/** The notebook's activity chart, which is also a slider over all moments and "now". */
import React from 'react';

import {
  countByBucket,
  IBucketCounts,
  nearestMoment
} from '../../model/notebook/activity';
import type { Moment } from '../../../api/types';
import { useReplay } from '../context';
import { SliderBase } from '../slider';

/** The number of bars. Each bar shows one bucket; see `countByBucket`. */
const BUCKET_COUNT = 64;

export function Scrubber(props: { valueText: string }): React.JSX.Element {
  const { model, trans } = useReplay();
  const { player, moments, chartPositions, position } = model.timeline;
  // "Now" is at 1, the right end of the chart.
  const left = `${(chartPositions[position] ?? 1) * 100}%`;
  return (
    <SliderBase
      className="jp-AIServer-Replay-scrubber"
      trackClass="jp-AIServer-Replay-line"
      count={moments.length + 1}
      position={position}
      label={trans.__('Changes to the notebook')}
      valueText={props.valueText}
      onMove={index => player.goTo(index)}
      positionAt={fraction => nearestMoment(chartPositions, fraction)}
    >
      <Bars moments={moments} chartPositions={chartPositions} />
      <div className="jp-AIServer-Replay-cursor" style={{ left }} />
    </SliderBase>
  );
}

const Bars = React.memo(function Bars(props: {
  moments: readonly Moment[];
  chartPositions: readonly number[];
}): React.JSX.Element {
  const { moments, chartPositions } = props;
  const buckets = countByBucket(moments, chartPositions, BUCKET_COUNT);
  const totalOf = ({ model, hand, agent, other }: IBucketCounts) =>
    model + hand + agent + other;
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
