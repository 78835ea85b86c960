/** Reports what happens to the variables of a notebook's kernel. */
import type { ISessionContext } from '@jupyterlab/apputils';
import type { Kernel, KernelMessage } from '@jupyterlab/services';
import type { IDisposable } from '@lumino/disposable';
import { Signal } from '@lumino/signaling';

import { isRun } from './request';

/**
 * `run`: the kernel began to run the person's code · `idle`: it has ended a run or a request ·
 * `restart`: its variables have disappeared, because it restarts or is another one.
 */
export type KernelEvent = 'run' | 'idle' | 'restart';

/** The kernel has lost its variables. A lost connection is `unknown`. */
const RESTARTED: readonly Kernel.Status[] = [
  'restarting',
  'autorestarting',
  'dead'
];

export class KernelEvents implements IDisposable {
  constructor(
    sessionContext: Pick<
      ISessionContext,
      'statusChanged' | 'kernelChanged' | 'iopubMessage'
    >
  ) {
    sessionContext.statusChanged.connect(this._onStatus, this);
    sessionContext.kernelChanged.connect(this._onKernelChanged, this);
    sessionContext.iopubMessage.connect(this._onMessage, this);
  }

  readonly emitted = new Signal<this, KernelEvent>(this);

  get isDisposed(): boolean {
    return this._disposed;
  }

  dispose(): void {
    this._disposed = true;
    Signal.clearData(this);
  }

  private _onMessage(_: unknown, message: KernelMessage.IMessage): void {
    if (isRun(message)) {
      this.emitted.emit('run');
    }
  }

  private _onStatus(_: unknown, status: Kernel.Status): void {
    if (status === 'idle') {
      this.emitted.emit('idle');
    } else if (RESTARTED.includes(status)) {
      this.emitted.emit('restart');
    }
  }

  private _onKernelChanged(): void {
    this.emitted.emit('restart');
  }

  private _disposed = false;
}
