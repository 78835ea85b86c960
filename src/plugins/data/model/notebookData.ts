/**
 * The data of one notebook's kernel: the list of variables, what the last run has changed in it, and
 * the state of each variable in the view.
 *
 * Invariants:
 * - While inactive, nothing is requested. Runs are noticed nevertheless, so that the list is read
 *   again once the notebook becomes active.
 * - While the kernel runs code, nothing is requested, and the former list is shown. It is read again
 *   after the run.
 * - Changes are those since the list that was read before the last run, or before the last runs if
 *   they followed each other closely. A restart of the kernel clears them.
 */
import type { IDisposable } from '@lumino/disposable';
import { Signal } from '@lumino/signaling';

import type { IDataList } from '../../../kernel/profile';
import type { KernelEvent } from '../../../kernel/kernelEvents';
import { DataLanguage, KernelBusyError } from '../../../kernel/request';
import { Throttle } from '../../../state/throttle';
import { IItemChange, changesSince } from './changes';
import { Frame, type IColumnRange } from './frame';
import type { IDataKernel, KernelState } from './notebookKernel';

/** The pause between two requests for the list. */
const PAUSE_MS = 300;
/** A run counts as busy only after this time, so that short runs don't flicker. */
const BUSY_DELAY_MS = 400;
/** Runs with shorter pauses between them count as one, such as those of “Run All Cells”. */
const BURST_MS = 1000;
/** After so many requests in vain, the person has to ask for the list again. */
const MAX_ATTEMPTS = 3;

/** The kernel's variables, and when they were read. */
export interface IReadList extends IDataList {
  readonly time: Date;
}

export class NotebookData implements IDisposable {
  constructor(
    private readonly _kernel: IDataKernel,
    private readonly _locale?: string
  ) {
    this._throttle = new Throttle(() => this._read(), PAUSE_MS);
    _kernel.changed.connect(this._onKernel, this);
  }

  readonly changed = new Signal<this, void>(this);

  /** Whether this notebook is the current one, and the view is visible. */
  get isActive(): boolean {
    return this._isActive;
  }
  set isActive(value: boolean) {
    if (value === this._isActive || this._disposed) {
      return;
    }
    this._isActive = value;
    if (!value) {
      this._throttle.cancel();
    } else if (this._isStale) {
      void this._throttle.runNow();
    } else {
      void this._profile();
    }
  }

  get kernelState(): KernelState {
    return this._kernel.state;
  }

  get language(): DataLanguage | null {
    return this._kernel.language;
  }

  /** The list that was read last; null if none was since the kernel started. */
  get list(): IReadList | null {
    return this._list;
  }

  get changes(): ReadonlyMap<string, IItemChange> {
    return this._changes;
  }

  /** The list before the last run; null if there is none. */
  get base(): IReadList | null {
    return this._base;
  }

  /** Whether the kernel is busy, so that the list may be outdated. */
  get isBusy(): boolean {
    return this._isBusy;
  }

  get hasFailed(): boolean {
    return this._hasFailed;
  }

  frame(name: string): Frame | undefined {
    return this._frames.get(name);
  }

  toggle(frame: Frame): void {
    frame.isOpen = !frame.isOpen;
    this._emitAndProfile();
  }

  setFilter(frame: Frame, filter: string): void {
    frame.filter = filter;
    this._emitAndProfile();
  }

  setSort(frame: Frame, sort: Frame['sort']): void {
    frame.sort = sort;
    this._emitAndProfile();
  }

  toggleDetails(frame: Frame, index: number): void {
    if (!frame.detailed.delete(index)) {
      frame.detailed.add(index);
    }
    this.changed.emit();
  }

  show(frame: Frame, indices: readonly number[]): void {
    if (frame.show(indices)) {
      void this._profile();
    }
  }

  refresh(): void {
    this._attempts = 0;
    this._isStale = true;
    void this._throttle.runNow();
  }

  get isDisposed(): boolean {
    return this._disposed;
  }

  dispose(): void {
    this.isActive = false;
    this._disposed = true;
    window.clearTimeout(this._busyTimer);
    this._kernel.dispose();
    Signal.clearData(this);
  }

  private _onKernel(_: IDataKernel, event: KernelEvent): void {
    this._note(event);
    if (this._isRunning) {
      this._watchBusy();
    } else if (this._isStale && this._isActive && !this._hasFailed) {
      this._throttle.trigger();
    }
    if (event === 'restart') {
      this._setBusy(false);
      this.changed.emit();
    }
  }

  private _note(event: KernelEvent): void {
    const wasRunning = this._isRunning;
    this._isRunning = event === 'run';
    if (event === 'idle') {
      this._lastRunEnd = wasRunning ? Date.now() : this._lastRunEnd;
      return;
    }
    if (event === 'restart') {
      this._list = this._base = null;
      this._lastRunEnd = -Infinity;
      this._changes = new Map();
    } else if (!this._hasRun) {
      this._hasRun = true;
      this._isNewBurst = Date.now() - this._lastRunEnd >= BURST_MS;
    }
    this._isStale = true;
    this._attempts = 0;
    this._hasFailed = this._isWaiting = false;
    this._slowRange = '';
  }

  /** If that isn't possible now, the list is read when the kernel has become idle. */
  private async _read(): Promise<void> {
    if (!this._isActive || this._isRunning || this.kernelState !== 'ready') {
      this.changed.emit();
      return;
    }
    const hasRun = this._hasRun;
    this._hasRun = this._isStale = false;
    this._attempts++;
    try {
      const list = await this._kernel.list();
      this._attempts = 0;
      this._hasFailed = this._isWaiting = false;
      this._setList({ ...list, time: new Date() }, hasRun);
      if (!this._isRunning) {
        this._setBusy(false);
      }
    } catch (reason) {
      this._isStale = true;
      this._hasRun ||= hasRun;
      this._isWaiting = reason instanceof KernelBusyError;
      this._hasFailed = !this._isWaiting || this._attempts >= MAX_ATTEMPTS;
      if (this._hasFailed) {
        this._setBusy(false);
      } else {
        this._watchBusy();
      }
    }
    this._emitAndProfile();
  }

  private _setList(list: IReadList, hasRun: boolean): void {
    if (hasRun && this._isNewBurst) {
      this._isNewBurst = false;
      this._base = this._list;
    }
    this._list = list;
    this._changes = changesSince(this._base, list);
    for (const item of list.items) {
      const frame = this._frames.get(item.name);
      if (frame) {
        frame.update(item, hasRun);
      } else {
        this._frames.set(item.name, new Frame(item, this._locale));
      }
    }
  }

  private _watchBusy(): void {
    this._busyTimer ??= window.setTimeout(
      () => this._setBusy(this._isRunning || this._isWaiting),
      BUSY_DELAY_MS
    );
  }

  private _setBusy(isBusy: boolean): void {
    window.clearTimeout(this._busyTimer);
    this._busyTimer = undefined;
    if (isBusy !== this._isBusy) {
      this._isBusy = isBusy;
      this.changed.emit();
    }
  }

  private _emitAndProfile(): void {
    this.changed.emit();
    void this._profile();
  }

  /** One request at a time. */
  private async _profile(): Promise<void> {
    if (this._isProfiling) {
      return;
    }
    this._isProfiling = true;
    try {
      while (await this._profileNext()) {
        this.changed.emit();
      }
    } finally {
      this._isProfiling = false;
    }
  }

  /** Return whether there may be more profiles to ask for. */
  private async _profileNext(): Promise<boolean> {
    if (!this._isActive || this._isStale || this._isRunning || !this._list) {
      return false;
    }
    const frames = this._list.items.flatMap(
      ({ name }) => this._frames.get(name) ?? []
    );
    const lazy = frames.find(frame => frame.needsColumns);
    if (lazy) {
      await this._readColumns(lazy);
      return true;
    }
    const frame = frames.find(frame => frame.nextRange());
    const range = frame?.nextRange();
    return !!frame && !!range && this._profileRange(frame, range);
  }

  private async _profileRange(
    frame: Frame,
    range: IColumnRange
  ): Promise<boolean> {
    const { name } = frame.item;
    const { first, count } = range;
    try {
      const list = this._list;
      const result = await this._kernel.profile(name, first, count);
      if (list !== this._list || this._isStale) {
        return true; // The profile is about an older version of the data.
      }
      if (result) {
        frame.store(range, result);
      } else {
        frame.fail(range);
        this._isStale = true;
        this._throttle.trigger();
      }
    } catch (reason) {
      const key = JSON.stringify([name, first]);
      if (reason instanceof KernelBusyError && key !== this._slowRange) {
        // Once the kernel is idle, read the list and then these profiles. If it is too slow again,
        // although no code has run, do without them.
        this._slowRange = key;
        this._isStale = true;
        return false;
      }
      frame.fail(range);
    }
    return true;
  }

  private async _readColumns(frame: Frame): Promise<void> {
    const list = this._list;
    const columns = await this._kernel
      .lazyColumns(frame.item.name)
      .catch(() => null);
    if (list === this._list) {
      frame.setColumns(columns);
    }
  }

  private _attempts = 0;
  private _base: IReadList | null = null;
  private _busyTimer: number | undefined;
  private _changes: ReadonlyMap<string, IItemChange> = new Map();
  private _disposed = false;
  private readonly _frames = new Map<string, Frame>();
  private _hasFailed = false;
  /** Whether code has run since the list was read. */
  private _hasRun = false;
  private _isActive = false;
  private _isBusy = false;
  /** Whether the runs since the list was read began a while after the runs before. */
  private _isNewBurst = false;
  private _isProfiling = false;
  private _isRunning = false;
  /** Whether the kernel was busy when the list was asked for. */
  private _isWaiting = false;
  /** Whether the list may have changed, so that it must be read. */
  private _isStale = true;
  private _lastRunEnd = -Infinity;
  private _list: IReadList | null = null;
  /** The columns whose profiles took too long, with their variable's name. */
  private _slowRange = '';
  private readonly _throttle: Throttle;
}
