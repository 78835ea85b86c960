/**
 * The current position in a list of steps or moments, and playback, which advances the position
 * automatically. The player doesn't know what is at a position; “step” below means either of both.
 *
 * Invariants:
 * - The position is always that of a step, or 0 if there are no steps.
 * - Playback stops at the last step, and when `goTo` is called.
 */
import { VDomModel } from '@jupyterlab/ui-components';

/** The speeds that can be selected, as multiples of the normal speed. */
export const SPEEDS = [0.5, 1, 2, 4] as const;

/** The time for which playback shows each step at speed 1, in milliseconds. */
export const STEP_MS = 1600;

export class ReplayPlayer extends VDomModel {
  /** The number of steps. */
  get length(): number {
    return this._length;
  }

  get position(): number {
    return this._position;
  }

  get isPlaying(): boolean {
    return this._timer !== null;
  }

  /** Whether playback chose the current position, rather than the person. */
  get isChosenByPlayback(): boolean {
    return this._isChosenByPlayback;
  }

  get speed(): number {
    return this._speed;
  }
  set speed(value: number) {
    if (value === this._speed || !(value > 0)) {
      return;
    }
    this._speed = value;
    if (this.isPlaying) {
      this._schedule();
    }
    this.stateChanged.emit();
  }

  /** Stop playback and start at `position` in another list, which has `length` steps. */
  reset(length: number, position: number): void {
    this._clearTimer();
    this._isChosenByPlayback = false;
    this._length = length;
    this._position = this._clamp(position);
    this.stateChanged.emit();
  }

  /**
   * Set the number of steps after new ones were appended. If the position was that of the last
   * step, it becomes that of the new last step; otherwise it stays the same.
   */
  grow(length: number): void {
    const isAtEnd = this._position >= this._length - 1 && !this.isPlaying;
    this._length = length;
    this._position = this._clamp(isAtEnd ? length - 1 : this._position);
    this.stateChanged.emit();
  }

  /** Stop playing and move to a step. */
  goTo(position: number): void {
    this._clearTimer();
    this._isChosenByPlayback = false;
    this._position = this._clamp(position);
    this.stateChanged.emit();
  }

  /** Start playback at the current step, or at the first step if the current one is the last. */
  play(): void {
    if (this.isDisposed || this._length < 2) {
      return;
    }
    if (this._position >= this._length - 1) {
      this._position = 0;
    }
    this._schedule();
    this.stateChanged.emit();
  }

  pause(): void {
    if (this.isPlaying) {
      this._clearTimer();
      this.stateChanged.emit();
    }
  }

  /** Play or pause. */
  toggle(): void {
    if (this.isPlaying) {
      this.pause();
    } else {
      this.play();
    }
  }

  override dispose(): void {
    this._clearTimer();
    super.dispose();
  }

  /** Schedule playback's move to the next step. */
  private _schedule(): void {
    this._clearTimer();
    this._timer = window.setTimeout(() => {
      this._timer = null;
      this._isChosenByPlayback = true;
      this._position = this._clamp(this._position + 1);
      if (this._position < this._length - 1) {
        this._schedule();
      }
      this.stateChanged.emit();
    }, STEP_MS / this._speed);
  }

  private _clearTimer(): void {
    if (this._timer !== null) {
      window.clearTimeout(this._timer);
      this._timer = null;
    }
  }

  /** Return the valid position that is nearest to `position`. */
  private _clamp(position: number): number {
    return Math.max(0, Math.min(this._length - 1, Math.round(position)));
  }

  private _isChosenByPlayback = false;
  private _length = 0;
  private _position = 0;
  private _speed = 1;
  private _timer: number | null = null;
}
