/**
 * The comparison of two steps of a cell. B is always the current step; A stays while the person
 * moves through the steps.
 */
import { VDomModel } from '@jupyterlab/ui-components';

import type { ReplayPlayer } from '../player';

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
