/** Whether a notebook's requests contain entries of memories; the browser stores the choice. */
import { PageConfig } from '@jupyterlab/coreutils';
import { Signal } from '@lumino/signaling';

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

  /** The key in the local storage, which several servers and users may share. */
  private get _key(): string {
    const root = PageConfig.getOption('serverRoot');
    const base = PageConfig.getBaseUrl();
    return `aiserver:memory:${base}:${root}/${this._notebookPath()}`;
  }
}
