/**
 * The notebook's activity chart as a slider over all moments: bars for the number of changes,
 * coloured by contributor. The pointer moves to any position, the keyboard from moment to moment.
 */
import React from 'react';

import {
  activityOf,
  IActivity,
  nearestMoment
} from '../../model/notebook/activity';
import type { Moment } from '../../../api/types';
import { ISliderBaseProps, SliderBase } from '../slider';

const BUCKETS = 64;

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
  const at = `${(positions[position] ?? 1) * 100}%`;
  return (
    <SliderBase
      {...props}
      className="jp-AIServer-Replay-scrubber"
      trackClass="jp-AIServer-Replay-line"
      count={moments.length + 1}
      positionAt={share => nearestMoment(positions, share)}
    >
      <Heat moments={moments} positions={positions} />
      <div className="jp-AIServer-Replay-cursor" style={{ left: at }} />
    </SliderBase>
  );
}

const total = ({ model, hand, other }: IActivity) => model + hand + other;

const Heat = React.memo(function Heat(props: {
  moments: readonly Moment[];
  positions: readonly number[];
}): React.JSX.Element {
  const { moments, positions } = props;
  const buckets = activityOf(moments, positions, BUCKETS);
  const most = Math.max(...buckets.map(total));
  // The square root keeps small counts visible.
  const height = (count: number) => `${Math.sqrt(count / (most || 1)) * 100}%`;
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
