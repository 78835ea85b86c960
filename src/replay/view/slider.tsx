/** `Slider` is the slider over a cell's steps. `SliderBase` is a slider with any kind of track. */
import React from 'react';

import type { DotKind } from '../../labels/stepLabels';

const MIN_DOT_DISTANCE = 9;
/** The sum of the spaces to the left and to the right of the track, in pixels, as in the CSS. */
const TRACK_PADDING = 44;
/** The number of dots that fit while the sidebar's width is unknown. */
const MAX_DOTS_FOR_UNKNOWN_WIDTH = 48;

interface ISliderProps extends Pick<
  ISliderBaseProps,
  'position' | 'label' | 'valueText' | 'onMove' | 'onPlay'
> {
  dots: readonly DotKind[];
  positionA: number | null;
  width: number;
}

export function positionAfterKey(
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
  const { dots, position, positionA, width } = props;
  const maxDots = width
    ? Math.floor((width - TRACK_PADDING) / MIN_DOT_DISTANCE)
    : MAX_DOTS_FOR_UNKNOWN_WIDTH;
  const lastIndex = dots.length - 1;
  const percent = (index: number) =>
    lastIndex > 0 ? (index / lastIndex) * 100 : 50;
  return (
    <SliderBase
      {...props}
      className="jp-AIServer-Replay-slider"
      trackClass="jp-AIServer-Replay-track"
      count={dots.length}
      positionAt={fraction =>
        Math.round(Math.max(0, Math.min(1, fraction)) * lastIndex)
      }
    >
      <div
        className="jp-AIServer-Replay-passed"
        style={{ width: `${percent(position)}%` }}
      />
      {dots.length > maxDots ? (
        <div
          className="jp-AIServer-Replay-stripes"
          style={{ backgroundImage: stripeGradient(dots) }}
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
      {positionA !== null && (
        <b
          className="jp-AIServer-Replay-mark"
          style={{ left: `${percent(positionA)}%` }}
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

interface ISliderBaseProps {
  className: string;
  trackClass: string;
  count: number;
  position: number;
  label: string;
  valueText: string;
  /** Return the position for a fraction of the track, which may be less than 0 or more than 1. */
  positionAt: (fraction: number) => number;
  onMove: (position: number) => void;
  onPlay?: () => void;
  children: React.ReactNode;
}

/** A slider that people move with the pointer or the keyboard. Its children draw the track. */
export function SliderBase(props: ISliderBaseProps): React.JSX.Element {
  const { count, position, onMove, onPlay } = props;
  const track = React.useRef<HTMLDivElement>(null);
  const moveToPointer = (event: React.PointerEvent) => {
    const box = track.current?.getBoundingClientRect();
    if (box && box.width > 0 && count > 1) {
      onMove(props.positionAt((event.clientX - box.left) / box.width));
    }
  };
  const onKeyDown = (event: React.KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey) {
      return;
    }
    const target = positionAfterKey(event.key, position, count);
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
          moveToPointer(event);
        }
      }}
      onPointerMove={event => {
        const isPrimaryButtonPressed = event.buttons & 1;
        if (isPrimaryButtonPressed) {
          moveToPointer(event);
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

/** Build a CSS gradient with one stripe for each series of adjacent dots of the same colour. */
function stripeGradient(dots: readonly DotKind[]): string {
  const stops: string[] = [];
  let start = 0;
  dots.forEach((kind, index) => {
    if (index === dots.length - 1 || dots[index + 1] !== kind) {
      const color = `var(--jp-AIServer-${kind}-color)`;
      const percent = (at: number) =>
        `${((at / dots.length) * 100).toFixed(2)}%`;
      stops.push(`${color} ${percent(start)} ${percent(index + 1)}`);
      start = index + 1;
    }
  });
  return `linear-gradient(to right, ${stops.join(', ')})`;
}
