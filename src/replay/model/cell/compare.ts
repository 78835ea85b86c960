/**
 * The comparison of two steps of a cell. The interface calls them A and B: A stays the same while
 * the person moves through the steps, and B is the current step.
 *
 * Invariants: while two steps are compared, the position of A is that of an existing step.
 */
import { VDomModel } from '@jupyterlab/ui-components';

import type { ReplayPlayer } from '../player';

export class StepComparison extends VDomModel {
  constructor(private readonly _player: ReplayPlayer) {
    super();
  }

  /** The position of A; null while nothing is compared. */
  get from(): number | null {
    return this._from !== null && this._from < this._player.length
      ? this._from
      : null;
  }

  /** Whether two steps are compared. */
  get isOn(): boolean {
    return this.from !== null;
  }

  /** Compare the current step with the step at position `from`, which becomes A. */
  start(from: number): void {
    this._player.pause();
    const lastPosition = this._player.length - 1;
    if (lastPosition >= 0) {
      this._set(Math.max(0, Math.min(lastPosition, Math.round(from))));
    }
  }

  /** Compare the current step with the previous step; compare the first step with the second. */
  startFromPrevious(): void {
    const { position } = this._player;
    this.start(position > 0 ? position - 1 : 1);
  }

  /** Exchange A and B: the current step becomes A, and A the current step. */
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
