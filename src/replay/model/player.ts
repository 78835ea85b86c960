/**
 * Where a replay stands, and its playing by itself. Knows positions only, not what they show.
 *
 * What must hold: the position is always one of the steps (or 0 where there are none); it
 * plays only while there is a next step, and going anywhere by hand stops it.
 */
import { IDisposable } from '@lumino/disposable';
import { ISignal, Signal } from '@lumino/signaling';

/** The speeds that are offered, as factors. */
export const SPEEDS = [0.5, 1, 2, 4] as const;

/** How long a step stays at speed 1, in milliseconds. */
export const STEP_MS = 1600;

export class ReplayPlayer implements IDisposable {
  /** The position, the length, the speed or whether it plays. */
  get changed(): ISignal<this, void> {
    return this._changed;
  }

  get length(): number {
    return this._length;
  }

  get position(): number {
    return this._position;
  }

  get isPlaying(): boolean {
    return this._timer !== null;
  }

  /** Whether the step on show came by itself, and not because somebody went there. */
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
    this._changed.emit();
  }

  /** Other steps, of which number `position` is shown. */
  reset(length: number, position: number): void {
    this._clear();
    this._isAuto = false;
    this._length = length;
    this._position = this._clamp(position);
    this._changed.emit();
  }

  /**
   * The same steps, and perhaps more after them. Who looks at the newest step sees the new
   * newest one; who looks back is left where they are.
   */
  grow(length: number): void {
    const atEnd = this._position >= this._length - 1 && !this.isPlaying;
    this._length = length;
    this._position = this._clamp(atEnd ? length - 1 : this._position);
    this._changed.emit();
  }

  /** Show one step. */
  goTo(position: number): void {
    this._clear();
    this._isAuto = false;
    this._position = this._clamp(position);
    this._changed.emit();
  }

  /** Play on from here; from the first step if this is the last. */
  play(): void {
    if (this._disposed || this._length < 2) {
      return;
    }
    if (this._position >= this._length - 1) {
      this._position = 0;
    }
    this._schedule();
    this._changed.emit();
  }

  pause(): void {
    if (this.isPlaying) {
      this._clear();
      this._changed.emit();
    }
  }

  /** Play, or stop playing. */
  toggle(): void {
    if (this.isPlaying) {
      this.pause();
    } else {
      this.play();
    }
  }

  get isDisposed(): boolean {
    return this._disposed;
  }

  dispose(): void {
    if (this._disposed) {
      return;
    }
    this._disposed = true;
    this._clear();
    Signal.clearData(this);
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
      this._changed.emit();
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

  private _changed = new Signal<this, void>(this);
  private _disposed = false;
  private _isAuto = false;
  private _length = 0;
  private _position = 0;
  private _speed = 1;
  private _timer: number | null = null;
}
