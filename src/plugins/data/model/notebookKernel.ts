/** The kernel of an open notebook, as the source of the data view's data. */
import type { NotebookPanel } from '@jupyterlab/notebook';
import type { Kernel } from '@jupyterlab/services';
import type { IDisposable } from '@lumino/disposable';
import { Signal } from '@lumino/signaling';

import { languageOf } from '../../../cells/context';
import { type KernelEvent, KernelEvents } from '../../../kernel/kernelEvents';
import {
  IDataColumn,
  IDataList,
  IProfiledColumns,
  listData,
  listLazyColumns,
  profileColumns
} from '../../../kernel/profile';
import { DataLanguage, dataLanguage } from '../../../kernel/request';

/** `none` is a notebook without a running kernel, `other` one with a kernel of another language. */
export type KernelState = 'none' | 'other' | 'starting' | 'ready';

/** The part of `NotebookKernel` that the models use, and tests fake. */
export interface IDataKernel extends IDisposable {
  readonly changed: Signal<IDataKernel, KernelEvent>;
  readonly state: KernelState;
  /** The kernel's language if it can list its data, else null. */
  readonly language: DataLanguage | null;
  /** @throws KernelBusyError; Error if the kernel died or its reply is invalid. */
  list(): Promise<IDataList>;
  /** See `profileColumns`; throws like `list`. */
  profile(
    name: string,
    first: number,
    count: number
  ): Promise<IProfiledColumns | null>;
  /** See `listLazyColumns`; throws like `list`. */
  lazyColumns(name: string): Promise<IDataColumn[] | null>;
}

/** The kernel can't answer yet. */
const STARTING: readonly Kernel.Status[] = [
  'unknown',
  'starting',
  'restarting',
  'autorestarting'
];

export class NotebookKernel implements IDataKernel {
  constructor(private readonly _panel: NotebookPanel) {
    this._events = new KernelEvents(_panel.sessionContext);
    this._events.emitted.connect((_, event) => this.changed.emit(event));
  }

  readonly changed: Signal<IDataKernel, KernelEvent> = new Signal(this);

  get state(): KernelState {
    const kernel = this._kernel;
    if (!kernel || kernel.status === 'dead') {
      return 'none';
    }
    return !this.language
      ? 'other'
      : STARTING.includes(kernel.status)
        ? 'starting'
        : 'ready';
  }

  get language(): DataLanguage | null {
    // After a change of the kernel, the notebook has the former one's language for a moment.
    const { specs } = this._panel.sessionContext.specsManager;
    const spec = specs?.kernelspecs[this._kernel?.name ?? ''];
    return dataLanguage(spec?.language ?? languageOf(this._panel));
  }

  get isDisposed(): boolean {
    return this._events.isDisposed;
  }

  dispose(): void {
    this._events.dispose();
    Signal.clearData(this);
  }

  async list(): Promise<IDataList> {
    const [kernel, language] = this._connection;
    return listData(kernel, language);
  }

  async profile(
    name: string,
    first: number,
    count: number
  ): Promise<IProfiledColumns | null> {
    const [kernel, language] = this._connection;
    return profileColumns(kernel, language, name, first, count);
  }

  async lazyColumns(name: string): Promise<IDataColumn[] | null> {
    const [kernel, language] = this._connection;
    return listLazyColumns(kernel, language, name);
  }

  private get _kernel(): Kernel.IKernelConnection | null {
    return this._panel.sessionContext.session?.kernel ?? null;
  }

  private get _connection(): [Kernel.IKernelConnection, DataLanguage] {
    const { _kernel: kernel, language } = this;
    if (!kernel || !language) {
      throw new Error('The kernel has ended.');
    }
    return [kernel, language];
  }

  private readonly _events: KernelEvents;
}
