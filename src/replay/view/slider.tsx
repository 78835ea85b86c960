/**
 * The slider, with a dot for each step. Arrow keys move by one step, Page Up and Page Down by a
 * tenth of all steps, and Home and End to the first and the last step. The space bar starts
 * and stops playback.
 */
import React from 'react';

import type { DotKind } from '../../labels/stepLabels';

/** The minimum distance between dots, in pixels. Dots that would be closer are drawn as stripes. */
const DOT_SPACE = 9;

/** The largest number of dots that are drawn while the width is unknown. */
const MAX_DOTS = 48;

interface ISliderProps extends Pick<
  ISliderBaseProps,
  'position' | 'label' | 'valueText' | 'onMove' | 'onPlay'
> {
  dots: readonly DotKind[];
  /** The position of the step that the current step is compared with; null if there is none. */
  from: number | null;
  /** The available width, in pixels; 0 while it is unknown. */
  width: number;
}

/** Return the position that a key moves to; null if the slider doesn't handle the key. */
export function keyTarget(
  key: string,
  position: number,
  count: number
): number | null {
  const pageSize = Math.max(1, Math.round(count / 10));
  const targets: Record<string, number> = {
    ArrowLeft: position - 1,
    ArrowDown: position - 1,
    ArrowRight: position + 1,
    ArrowUp: position + 1,
    PageDown: position - pageSize,
    PageUp: position + pageSize,
    Home: 0,
    End: count - 1
  };
  const target = targets[key];
  return target === undefined ? null : Math.max(0, Math.min(count - 1, target));
}

export function Slider(props: ISliderProps): React.JSX.Element {
  const { dots, position, from, width } = props;
  const maxDots = width ? Math.floor((width - 44) / DOT_SPACE) : MAX_DOTS;
  const last = dots.length - 1;
  const percent = (index: number) => (last > 0 ? (index / last) * 100 : 50);
  return (
    <SliderBase
      {...props}
      className="jp-AIServer-Replay-slider"
      trackClass="jp-AIServer-Replay-track"
      count={dots.length}
      positionAt={share => Math.round(Math.max(0, Math.min(1, share)) * last)}
    >
      <div
        className="jp-AIServer-Replay-passed"
        style={{ width: `${percent(position)}%` }}
      />
      {dots.length > maxDots ? (
        <div
          className="jp-AIServer-Replay-stripes"
          style={{ backgroundImage: stripes(dots) }}
        />
      ) : (
        dots.map((kind, index) => (
          <i
            key={index}
            className={dotClass(kind)}
            style={{ left: `${percent(index)}%` }}
          />
        ))
      )}
      {from !== null && (
        <b
          className="jp-AIServer-Replay-mark"
          style={{ left: `${percent(from)}%` }}
        >
          A
        </b>
      )}
      {position < dots.length && (
        <i
          className={`${dotClass(dots[position])} jp-mod-current`}
          style={{ left: `${percent(position)}%` }}
        />
      )}
    </SliderBase>
  );
}

export interface ISliderBaseProps {
  className: string;
  trackClass: string;
  /** The number of positions. */
  count: number;
  position: number;
  label: string;
  /** The description of the current position for `aria-valuetext`. */
  valueText: string;
  /** Return the position at a fraction of the track's width, which is from 0 to 1 on the track. */
  positionAt: (share: number) => number;
  onMove: (position: number) => void;
  /** Called when the space bar is pressed. */
  onPlay?: () => void;
  children: React.ReactNode;
}

/** A slider that people move with the pointer or the keyboard; its children draw the track. */
export function SliderBase(props: ISliderBaseProps): React.JSX.Element {
  const { count, position, onMove, onPlay } = props;
  const track = React.useRef<HTMLDivElement>(null);
  const moveTo = (event: React.PointerEvent) => {
    const box = track.current?.getBoundingClientRect();
    if (box && box.width > 0 && count > 1) {
      onMove(props.positionAt((event.clientX - box.left) / box.width));
    }
  };
  const onKeyDown = (event: React.KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey) {
      return;
    }
    const target = keyTarget(event.key, position, count);
    if (target !== null) {
      onMove(target);
    } else if (event.key === ' ' && onPlay) {
      onPlay();
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div
      className={props.className}
      role="slider"
      tabIndex={0}
      aria-label={props.label}
      aria-valuemin={1}
      aria-valuemax={count}
      aria-valuenow={position + 1}
      aria-valuetext={props.valueText}
      onKeyDown={onKeyDown}
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
      <div ref={track} className={props.trackClass}>
        {props.children}
      </div>
    </div>
  );
}

export function dotClass(kind: DotKind): string {
  return `jp-AIServer-Replay-dot jp-mod-${kind}`;
}

/** Build a gradient with one stripe for each series of adjacent dots of the same kind. */
function stripes(dots: readonly DotKind[]): string {
  const stops: string[] = [];
  let from = 0;
  dots.forEach((kind, index) => {
    if (index === dots.length - 1 || dots[index + 1] !== kind) {
      const color = `var(--jp-AIServer-Replay-${kind})`;
      const percent = (end: number) =>
        `${((end / dots.length) * 100).toFixed(2)}%`;
      stops.push(`${color} ${percent(from)} ${percent(index + 1)}`);
      from = index + 1;
    }
  });
  return `linear-gradient(to right, ${stops.join(', ')})`;
}
