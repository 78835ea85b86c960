/**
 * A player of a list of steps or moments: a current position, playback, and a second position to
 * compare with. Invariants: a position is the index of an item, or 0. Playback stops at the last
 * item, and when `pause`, `goTo` or `reset` is called.
 */
import { VDomModel } from '@jupyterlab/ui-components';

export const SPEEDS = [0.5, 1, 2, 4] as const;

export const STEP_MS = 1600;

export class ReplayPlayer extends VDomModel {
  length = 0;
  position = 0;
  /** The position of step A, with which the current step is compared; null without a comparison. */
  positionA: number | null = null;
  /** Whether the last change of the position was a move by playback, from step to step. */
  isChosenByPlayback = false;

  get isPlaying(): boolean {
    return this._timer !== undefined;
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

  /** Stop playback, and go to `position` in another list, which has `length` steps. */
  reset(length: number, position: number): void {
    this.length = length;
    this.positionA = null;
    this.goTo(position);
  }

  /**
   * Set the number of steps after the list has changed. If playback is paused at the last step, the
   * new last step becomes current.
   */
  updateLength(length: number): void {
    const staysAtEnd = this.position >= this.length - 1 && !this.isPlaying;
    this.length = length;
    this.position = this._clamp(staysAtEnd ? length - 1 : this.position);
    if (this.positionA !== null && this.positionA >= length) {
      this.positionA = null;
    }
    this.stateChanged.emit();
  }

  /** Stop playback, and go to the step whose index is nearest to `position`. */
  goTo(position: number): void {
    this._clearTimer();
    this.isChosenByPlayback = false;
    this.position = this._clamp(position);
    this.stateChanged.emit();
  }

  compareWith(positionA: number | null): void {
    if (positionA === null) {
      this.positionA = null;
    } else if (this.length) {
      this._clearTimer();
      this.positionA = this._clamp(positionA);
    }
    this.stateChanged.emit();
  }

  /** Exchange A and B: the current step becomes A, and A becomes the current step. */
  swap(): void {
    const { position, positionA } = this;
    if (positionA !== null) {
      this.compareWith(position);
      this.goTo(positionA);
    }
  }

  play(): void {
    if (this.isDisposed || this.length < 2) {
      return;
    }
    if (this.position >= this.length - 1) {
      this.position = 0;
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

  private _schedule(): void {
    this._clearTimer();
    this._timer = window.setTimeout(() => {
      this._timer = undefined;
      this.isChosenByPlayback = true;
      this.position = this._clamp(this.position + 1);
      if (this.position < this.length - 1) {
        this._schedule();
      }
      this.stateChanged.emit();
    }, STEP_MS / this._speed);
  }

  private _clearTimer(): void {
    window.clearTimeout(this._timer);
    this._timer = undefined;
  }

  private _clamp(position: number): number {
    return Math.max(0, Math.min(this.length - 1, Math.round(position)));
  }

  private _speed = 1;
  private _timer: number | undefined;
}
