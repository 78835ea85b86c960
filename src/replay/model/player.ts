/**
 * A player has a current position in a list. During playback, it moves to the next position at
 * regular intervals. One player plays the steps of a cell, and another player plays the moments of
 * a notebook. A player doesn't get the list itself, but only its length. Below, “step” stands for a
 * step or a moment.
 *
 * Invariants:
 * - The position is always the index of a step, or 0 if there are no steps.
 * - Playback stops at the last step, and when `pause`, `goTo` or `reset` is called.
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

  /** The index of the current step. */
  get position(): number {
    return this._position;
  }

  get isPlaying(): boolean {
    return this._timer !== undefined;
  }

  /** Whether the last change of the position was a move by playback, from step to step. */
  get isChosenByPlayback(): boolean {
    return this._isChosenByPlayback;
  }

  /** The speed of playback, as a multiple of the normal speed. */
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

  /** Stop playback, and go to `position` in another list, which has `length` steps. */
  reset(length: number, position: number): void {
    this._length = length;
    this.goTo(position);
  }

  /**
   * Set the number of steps after the list has changed; usually new steps were appended. If the
   * last step was the current step and playback is paused, the new last step becomes the current
   * step. Otherwise, the position stays the same. (If the list has become too short for this
   * position, the last step becomes the current step.)
   */
  updateLength(length: number): void {
    const staysAtEnd = this._position >= this._length - 1 && !this.isPlaying;
    this._length = length;
    this._position = this._clamp(staysAtEnd ? length - 1 : this._position);
    this.stateChanged.emit();
  }

  /** Stop playback, and go to the step whose index is nearest to `position`. */
  goTo(position: number): void {
    this._clearTimer();
    this._isChosenByPlayback = false;
    this._position = this._clamp(position);
    this.stateChanged.emit();
  }

  /**
   * Start playback at the current step; if that is the last step, start at the first step. Do
   * nothing if there are fewer than two steps.
   */
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

  /** Pause playback if it is running; otherwise start it. */
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

  /** Schedule the move to the next step. Each move schedules the next one, up to the last step. */
  private _schedule(): void {
    this._clearTimer();
    this._timer = window.setTimeout(() => {
      this._timer = undefined;
      this._isChosenByPlayback = true;
      this._position = this._clamp(this._position + 1);
      if (this._position < this._length - 1) {
        this._schedule();
      }
      this.stateChanged.emit();
    }, STEP_MS / this._speed);
  }

  private _clearTimer(): void {
    window.clearTimeout(this._timer);
    this._timer = undefined;
  }

  /** Return the valid position that is nearest to `position`. */
  private _clamp(position: number): number {
    return Math.max(0, Math.min(this._length - 1, Math.round(position)));
  }

  private _isChosenByPlayback = false;
  private _length = 0;
  private _position = 0;
  private _speed = 1;
  private _timer: number | undefined;
}
