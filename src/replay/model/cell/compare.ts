/**
 * A comparison of two steps: A, which stays fixed, and B, the current step.
 *
 * Invariants: while the comparison is on, A is one of the steps.
 */
import { VDomModel } from '@jupyterlab/ui-components';

import type { ReplayPlayer } from '../player';

export class ReplayCompare extends VDomModel {
  constructor(private readonly _player: ReplayPlayer) {
    super();
  }

  /** The position of A; null while nothing is compared. */
  get from(): number | null {
    return this._from !== null && this._from < this._player.length
      ? this._from
      : null;
  }

  get isOn(): boolean {
    return this.from !== null;
  }

  /** Compare the current step with step `from`. */
  start(from: number): void {
    this._player.pause();
    const last = this._player.length - 1;
    if (last >= 0) {
      this._set(Math.max(0, Math.min(last, Math.round(from))));
    }
  }

  /** Compare the current step with the previous one; the first step with the second. */
  startFromPrevious(): void {
    const { position } = this._player;
    this.start(position > 0 ? position - 1 : 1);
  }

  swap(): void {
    const { from } = this;
    if (from !== null) {
      this._from = this._player.position;
      this._player.goTo(from);
    }
  }

  stop(): void {
    this._set(null);
  }

  private _set(from: number | null): void {
    if (from !== this._from) {
      this._from = from;
      this.stateChanged.emit();
    }
  }

  private _from: number | null = null;
}
