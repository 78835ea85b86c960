/**
 * The position in a replay and its automatic advance. It knows positions only, not their content.
 *
 * Invariants: the position is always that of a step (or 0 if there are none); the player plays
 * only while there is a next step, and `goTo` stops it.
 */
import { VDomModel } from '@jupyterlab/ui-components';

/** The selectable speeds, as factors. */
export const SPEEDS = [0.5, 1, 2, 4] as const;

/** The time for which a step is shown at speed 1, in milliseconds. */
export const STEP_MS = 1600;

export class ReplayPlayer extends VDomModel {
  get length(): number {
    return this._length;
  }

  get position(): number {
    return this._position;
  }

  get isPlaying(): boolean {
    return this._timer !== null;
  }

  /** Whether playback moved to the current position, and not the person. */
  get isAuto(): boolean {
    return this._isAuto;
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

  /** Start with other steps, at `position`. */
  reset(length: number, position: number): void {
    this._clear();
    this._isAuto = false;
    this._length = length;
    this._position = this._clamp(position);
    this.stateChanged.emit();
  }

  /**
   * Update the number of steps. At the last step the position moves to the new last one;
   * anywhere else it stays.
   */
  grow(length: number): void {
    const atEnd = this._position >= this._length - 1 && !this.isPlaying;
    this._length = length;
    this._position = this._clamp(atEnd ? length - 1 : this._position);
    this.stateChanged.emit();
  }

  /** Stop playing and move to a step. */
  goTo(position: number): void {
    this._clear();
    this._isAuto = false;
    this._position = this._clamp(position);
    this.stateChanged.emit();
  }

  /** Play from here; from the first step if this is the last. */
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
      this._clear();
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
    this._clear();
    super.dispose();
  }

  private _schedule(): void {
    this._clear();
    this._timer = window.setTimeout(() => {
      this._timer = null;
      this._isAuto = true;
      this._position = this._clamp(this._position + 1);
      if (this._position < this._length - 1) {
        this._schedule();
      }
      this.stateChanged.emit();
    }, STEP_MS / this._speed);
  }

  private _clear(): void {
    if (this._timer !== null) {
      window.clearTimeout(this._timer);
      this._timer = null;
    }
  }

  private _clamp(position: number): number {
    return Math.max(0, Math.min(this._length - 1, Math.round(position)));
  }

  private _isAuto = false;
  private _length = 0;
  private _position = 0;
  private _speed = 1;
  private _timer: number | null = null;
}
