/**
 * Base classes of the sidebar's models. An `ActivatableModel` is active only while its view is
 * visible. A `LoadedModel` also loads its content from the server.
 *
 * Invariants of a `LoadedModel`:
 * - While inactive, the model sends no requests. When it becomes active, it loads its content if
 *   the content may have changed in the meantime.
 * - A new request aborts the previous one. The response to an aborted request is never shown.
 * - While the content of a target is loaded again, the previous content is still shown.
 */
import { VDomModel } from '@jupyterlab/ui-components';

import { IFailure, toFailure } from '../../state/failure';
import { Throttle } from '../../state/throttle';
import type { ICellKey, IHistory } from '../../tokens';
import type { IReplaySubject, SubjectChange } from './activeCell';

export abstract class ActivatableModel extends VDomModel {
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

  protected abstract onActiveChanged(): void;

  private _isActive = false;
}

export abstract class LoadedModel extends ActivatableModel {
  /** @param pauseMs - The pause between requests while the content keeps changing. */
  constructor(
    protected readonly subject: IReplaySubject,
    protected readonly history: IHistory,
    pauseMs?: number
  ) {
    super();
    this.throttle = new Throttle(() => this.load(), pauseMs);
    subject.changed.connect(this.onSubjectChanged, this);
    history.changed.connect(this.onHistoryChanged, this);
  }

  get isLoading(): boolean {
    return this._abort !== null;
  }

  error: IFailure | null = null;

  refresh(): void {
    void this.throttle.runNow();
  }

  /** A key for the content, such as a notebook's id. When it changes, the content is loaded. */
  protected abstract get target(): string | null;

  /** Fetch the content. Return a function that shows it, unless `signal` is aborted. */
  protected abstract fetch(signal: AbortSignal): Promise<() => void>;

  /** Load the content, or set `error`. An inactive model only marks the content as stale. */
  protected async load(): Promise<void> {
    this._abort?.abort();
    this._abort = null;
    this._isStale = !this.isActive;
    if (!this.isActive) {
      return;
    }
    const abort = (this._abort = new AbortController());
    this._requestedTarget = this.target;
    this.stateChanged.emit();
    let showContent: (() => void) | null = null;
    let error: IFailure | null = null;
    try {
      showContent = await this.fetch(abort.signal);
    } catch (reason) {
      error = toFailure(reason);
    }
    if (!abort.signal.aborted) {
      this._abort = null;
      this.error = error;
      showContent?.(); // It may replace the error.
      this._isStale = this.error !== null;
      this.stateChanged.emit();
    }
  }

  /** Load outdated content, unless the model is inactive. Return whether it was outdated. */
  protected loadIfOutdated(): boolean {
    const isOutdated = this._isStale || this.target !== this._requestedTarget;
    if (isOutdated && this.isActive) {
      void this.throttle.runNow();
    }
    return isOutdated;
  }

  /** Load the content again soon or, if the model is inactive, when it becomes active. */
  protected invalidate(): void {
    if (this.isActive) {
      this.throttle.trigger();
    } else {
      this._isStale = true;
    }
  }

  /** Cancel pending and scheduled requests, whose content becomes stale. */
  protected cancel(isStale = false): void {
    const isScheduled = this.throttle.cancel();
    this._isStale ||= isStale || isScheduled || this._abort !== null;
    this._abort?.abort();
    this._abort = null;
  }

  protected override onActiveChanged(): void {
    if (!this.isActive) {
      this.cancel();
    } else if (!this.loadIfOutdated()) {
      this.stateChanged.emit();
    }
  }

  protected onSubjectChanged(_: IReplaySubject, change: SubjectChange): void {
    if (change !== 'source') {
      this.loadIfOutdated();
    }
  }

  protected onHistoryChanged(_: IHistory, { notebookId }: ICellKey): void {
    if (!this.isActive || notebookId === this.subject.notebookId) {
      this.invalidate();
    }
  }

  protected readonly throttle: Throttle;
  private _abort: AbortController | null = null;
  /** Whether the content must be loaded again even if `target` is still `_requestedTarget`. */
  private _isStale = true;
  /** The target at the time of the newest request. */
  private _requestedTarget: string | null = null;
}
