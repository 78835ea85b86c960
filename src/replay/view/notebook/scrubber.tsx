/**
 * The notebook's activity chart, which is also a slider over all moments. Its bars show the number
 * of changes, coloured by contributor. The pointer selects the moment nearest to it, the arrow keys
 * move from moment to moment.
 */
import React from 'react';

import {
  activityOf,
  IActivity,
  nearestMoment
} from '../../model/notebook/activity';
import type { Moment } from '../../../api/types';
import { ISliderBaseProps, SliderBase } from '../slider';

/** The number of bars. */
const BUCKET_COUNT = 64;

interface IScrubberProps extends Pick<
  ISliderBaseProps,
  'label' | 'valueText' | 'onMove'
> {
  moments: readonly Moment[];
  positions: readonly number[];
  /** The index of the current moment; the number of moments at "now". */
  position: number;
}

export function Scrubber(props: IScrubberProps): React.JSX.Element {
  const { moments, positions, position } = props;
  const left = `${(positions[position] ?? 1) * 100}%`;
  return (
    <SliderBase
      {...props}
      className="jp-AIServer-Replay-scrubber"
      trackClass="jp-AIServer-Replay-line"
      count={moments.length + 1}
      positionAt={share => nearestMoment(positions, share)}
    >
      <Heat moments={moments} positions={positions} />
      <div className="jp-AIServer-Replay-cursor" style={{ left }} />
    </SliderBase>
  );
}

const total = ({ model, hand, other }: IActivity) => model + hand + other;

/** The bars of the activity chart. */
const Heat = React.memo(function Heat(props: {
  moments: readonly Moment[];
  positions: readonly number[];
}): React.JSX.Element {
  const { moments, positions } = props;
  const buckets = activityOf(moments, positions, BUCKET_COUNT);
  const maxTotal = Math.max(...buckets.map(total));
  // The square root keeps small counts visible.
  const height = (count: number) =>
    `${Math.sqrt(count / (maxTotal || 1)) * 100}%`;
  return (
    <div className="jp-AIServer-Replay-heat">
      {buckets.map((bucket, index) => (
        <i key={index} style={{ height: height(total(bucket)) }}>
          {(['other', 'hand', 'model'] as const)
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
