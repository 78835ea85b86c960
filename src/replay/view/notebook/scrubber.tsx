/**
 * The line of a notebook's work: where much happened it is high, coloured by whose it was. A
 * `role=slider` over all moments: the mouse goes to any place of it, the keyboard from moment to
 * moment.
 */
import React from 'react';

import { activityOf, IActivity, nearest } from '../../model/notebook/activity';
import type { Moment } from '../../../api/types';
import { keyTarget } from '../slider';

const STRETCHES = 64;

export interface IScrubberProps {
  moments: readonly Moment[];
  places: readonly number[];
  /** The number of the moment on show; that of all moments for now. */
  position: number;
  label: string;
  /** The moment on show, in words. */
  valueText: string;
  onMove: (position: number) => void;
}

export function Scrubber(props: IScrubberProps): React.JSX.Element {
  const { moments, places, position, label, valueText, onMove } = props;
  const track = React.useRef<HTMLDivElement>(null);
  const at = `${(places[position] ?? 1) * 100}%`;
  const moveTo = (event: React.PointerEvent) => {
    const box = track.current?.getBoundingClientRect();
    if (box && box.width > 0) {
      onMove(nearest(places, (event.clientX - box.left) / box.width));
    }
  };
  return (
    <div
      className="jp-AIServer-Replay-scrubber"
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-valuemin={1}
      aria-valuemax={moments.length + 1}
      aria-valuenow={position + 1}
      aria-valuetext={valueText}
      onKeyDown={event => {
        const plain = !event.altKey && !event.ctrlKey && !event.metaKey;
        const target = plain
          ? keyTarget(event.key, position, moments.length + 1)
          : null;
        if (target !== null) {
          event.preventDefault();
          event.stopPropagation();
          onMove(target);
        }
      }}
      onPointerDown={event => {
        if (event.button === 0) {
          event.currentTarget.setPointerCapture?.(event.pointerId);
          moveTo(event);
        }
      }}
      onPointerMove={event => {
        if (event.buttons & 1) {
          moveTo(event);
        }
      }}
    >
      <div ref={track} className="jp-AIServer-Replay-line">
        <Heat moments={moments} places={places} />
        <div className="jp-AIServer-Replay-cursor" style={{ left: at }} />
      </div>
    </div>
  );
}

const total = ({ model, hand, other }: IActivity) => model + hand + other;

const Heat = React.memo(function Heat(props: {
  moments: readonly Moment[];
  places: readonly number[];
}): React.JSX.Element {
  const { moments, places } = props;
  const stretches = activityOf(moments, places, STRETCHES);
  const most = Math.max(...stretches.map(total));
  // A stretch with four times as much is twice as high: what is little is seen, too.
  const height = (count: number) => `${Math.sqrt(count / (most || 1)) * 100}%`;
  return (
    <div className="jp-AIServer-Replay-heat">
      {stretches.map((stretch, index) => (
        <i key={index} style={{ height: height(total(stretch)) }}>
          {(['other', 'hand', 'model'] as const)
            .filter(kind => stretch[kind])
            .map(kind => (
              <b
                key={kind}
                className={`jp-mod-${kind}`}
                style={{ flexGrow: stretch[kind] }}
              />
            ))}
        </i>
      ))}
    </div>
  );
});
