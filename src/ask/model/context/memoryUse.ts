/** Whether a notebook's requests contain entries of memories; stored in the browser. */
import { Signal } from '@lumino/signaling';

import { storageKey } from './rulesFiles';

const OFF = 'off';

export class MemoryUse {
  constructor(private readonly _notebookPath: () => string) {}

  readonly changed = new Signal<this, void>(this);

  get isOn(): boolean {
    return window.localStorage.getItem(this._key) !== OFF;
  }

  set(isOn: boolean): void {
    if (isOn) {
      window.localStorage.removeItem(this._key);
    } else {
      window.localStorage.setItem(this._key, OFF);
    }
    this.changed.emit();
  }

  private get _key(): string {
    return storageKey('memory', this._notebookPath());
  }
}
