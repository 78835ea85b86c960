/**
 * A player of a list of steps or moments: a current position, and playback. Invariants: the
 * position is the index of an item, or 0. Playback stops at the last item, and when `pause`, `goTo`
 * or `reset` is called.
 */
import { VDomModel } from '@jupyterlab/ui-components';

export const SPEEDS = [0.5, 1, 2, 4] as const;

/** The time for which playback shows each step at speed 1, in milliseconds. */
export const STEP_MS = 1600;

export class ReplayPlayer extends VDomModel {
  get length(): number {
    return this._length;
  }

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
   * Set the number of steps after the list has changed. If playback is paused at the last step, the
   * new last step becomes current.
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

  /** Start playback, from the first step if the current one is the last. */
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

  private _clamp(position: number): number {
    return Math.max(0, Math.min(this._length - 1, Math.round(position)));
  }

  private _isChosenByPlayback = false;
  private _length = 0;
  private _position = 0;
  private _speed = 1;
  private _timer: number | undefined;
}

export class StepComparison extends VDomModel {
  constructor(private readonly _player: ReplayPlayer) {
    super();
  }

  /** The position of A; null while no steps are compared. */
  get positionA(): number | null {
    return this._positionA !== null && this._positionA < this._player.length
      ? this._positionA
      : null;
  }

  get isComparing(): boolean {
    return this.positionA !== null;
  }

  start(positionA: number): void {
    this._player.pause();
    const lastPosition = this._player.length - 1;
    if (lastPosition >= 0) {
      this._setPositionA(
        Math.max(0, Math.min(lastPosition, Math.round(positionA)))
      );
    }
  }

  /** Compare the current step with the step before it. */
  startWithPrevious(): void {
    const { position } = this._player;
    this.start(position > 0 ? position - 1 : 1);
  }

  /** Exchange A and B: the current step becomes A, and A becomes the current step. */
  swap(): void {
    const { positionA } = this;
    if (positionA !== null) {
      this._positionA = this._player.position;
      this._player.goTo(positionA);
    }
  }

  stop(): void {
    this._setPositionA(null);
  }

  private _setPositionA(positionA: number | null): void {
    if (positionA !== this._positionA) {
      this._positionA = positionA;
      this.stateChanged.emit();
    }
  }

  private _positionA: number | null = null;
}
