/** Whether the requests of one notebook contain the entries of memories; by default, they do. */
import { Signal } from '@lumino/signaling';

export class MemoryUse {
  readonly changed = new Signal<this, void>(this);

  get isOn(): boolean {
    return this._isOn;
  }

  /** Use the entries from the next request on, or don't. */
  set(isOn: boolean): void {
    this._isOn = isOn;
    this.changed.emit();
  }

  private _isOn = true;
}
