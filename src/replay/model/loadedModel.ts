/**
 * Bases of the sidebar's models: one that idles while its view is hidden, and one that loads its
 * content from the server.
 *
 * Invariants of a `LoadedModel`:
 * - It sends no requests while inactive. Activation loads what changed meanwhile.
 * - The newest request wins; an older one is aborted, and its content is never shown.
 * - The previous content stays until the next one is loaded.
 * - A change of many cells causes one request.
 */
import { VDomModel } from '@jupyterlab/ui-components';

import { IFailure, toFailure } from '../../state/failure';
import { Throttle } from '../../state/throttle';
import type { ICellKey, IHistory } from '../../tokens';
import type { IReplaySubject } from './activeCell';
import type { SubjectChange } from './subject';

export abstract class ActivatableModel extends VDomModel {
  /** Whether the view is visible. */
  get isActive(): boolean {
    return this._isActive;
  }
  set isActive(value: boolean) {
    if (value !== this._isActive && !this.isDisposed) {
      this._isActive = value;
      this.onActiveChanged();
    }
  }

  override dispose(): void {
    this.isActive = false;
    super.dispose();
  }

  /** Called after `isActive` has changed. */
  protected abstract onActiveChanged(): void;

  private _isActive = false;
}

export abstract class LoadedModel extends ActivatableModel {
  /** @param pauseMs The pause between requests for changed content; see `Throttle`. */
  constructor(
    options: { subject: IReplaySubject; history: IHistory },
    pauseMs?: number
  ) {
    super();
    this.subject = options.subject;
    this.history = options.history;
    this.throttle = new Throttle(() => this.load(), pauseMs);
    this.subject.changed.connect(this.onSubjectChanged, this);
    this.history.changed.connect(this.onHistoryChanged, this);
  }

  /** Whether a request is pending. */
  get isLoading(): boolean {
    return this._abort !== null;
  }

  /** The failure of the newest request; null if it succeeded. */
  get error(): IFailure | null {
    return this._error;
  }

  /** Load the content again without delay. */
  refresh(): void {
    void this.throttle.runNow();
  }

  /** Identifies the content to show. Another target is loaded without delay. */
  protected abstract get target(): string | null;

  /** Fetch the content. Returns the function that shows it, called unless the request is aborted. */
  protected abstract fetch(signal: AbortSignal): Promise<() => void>;

  /** Load the content, unless inactive. */
  protected async load(): Promise<void> {
    this._abort?.abort();
    this._abort = null;
    this._isStale = !this.isActive;
    if (!this.isActive) {
      return;
    }
    const abort = (this._abort = new AbortController());
    this._requested = this.target;
    this.stateChanged.emit();
    let show: (() => void) | null = null;
    let error: IFailure | null = null;
    try {
      show = await this.fetch(abort.signal);
    } catch (reason) {
      error = toFailure(reason);
    }
    if (!abort.signal.aborted) {
      this._abort = null;
      this._error = error;
      show?.();
      this._isStale = this._error !== null;
      this.stateChanged.emit();
    }
  }

  /** Load the target if it is another one, or stale. Returns whether it is loaded. */
  protected follow(): boolean {
    const isOutdated = this._isStale || this.target !== this._requested;
    if (isOutdated && this.isActive) {
      void this.throttle.runNow();
    }
    return isOutdated;
  }

  /** Load changed content: after a pause, or on activation. */
  protected invalidate(): void {
    if (this.isActive) {
      this.throttle.trigger();
    } else {
      this._isStale = true;
    }
  }

  /** Cancel the requests that are pending or scheduled. @param isMissed Whether others are, too. */
  protected cancel(isMissed = false): void {
    const isScheduled = this.throttle.cancel();
    this._isStale ||= isMissed || isScheduled || this._abort !== null;
    this._abort?.abort();
    this._abort = null;
  }

  protected override onActiveChanged(): void {
    if (!this.isActive) {
      this.cancel();
    } else if (!this.follow()) {
      this.stateChanged.emit();
    }
  }

  protected onSubjectChanged(_: IReplaySubject, change: SubjectChange): void {
    if (change !== 'source') {
      this.follow();
    }
  }

  protected onHistoryChanged(_: IHistory, { notebookId }: ICellKey): void {
    if (!this.isActive || notebookId === this.subject.notebookId) {
      this.invalidate();
    }
  }

  protected setError(error: IFailure | null): void {
    this._error = error;
  }

  protected readonly history: IHistory;
  protected readonly subject: IReplaySubject;
  protected readonly throttle: Throttle;
  private _abort: AbortController | null = null;
  private _error: IFailure | null = null;
  private _isStale = true;
  private _requested: string | null = null;
}
