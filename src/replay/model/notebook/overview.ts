/**
 * The overview of a notebook's histories: its cells in order, then the deleted cells that have a
 * history.
 *
 * Invariants: it sends no requests while inactive; the newest response wins; a change of many
 * cells causes one request.
 */
import { IDisposable } from '@lumino/disposable';
import { ISignal, Signal } from '@lumino/signaling';

import type { SessionSummary } from '../../../api/types';
import type { IHistory } from '../../../tokens';
import { IFailure, toFailure } from '../../../state/failure';
import { Throttle } from '../../../state/throttle';
import type { ICellInfo, IReplaySubject, SubjectChange } from '../subject';

export interface IOverviewRow {
  readonly cellId: string;
  /** Null if the cell is no longer in the notebook. */
  readonly cell: ICellInfo | null;
  readonly firstLine: string;
  /** Null if the cell has no history. */
  readonly summary: SessionSummary | null;
  readonly isActive: boolean;
}

export class ReplayOverview implements IDisposable {
  constructor(options: { subject: IReplaySubject; history: IHistory }) {
    this._subject = options.subject;
    this._history = options.history;
    this._history.changed.connect(this._onHistoryChanged, this);
    this._subject.changed.connect(this._onSubjectChanged, this);
  }

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  get isActive(): boolean {
    return this._isActive;
  }
  set isActive(value: boolean) {
    if (value === this._isActive) {
      return;
    }
    this._isActive = value;
    if (!value) {
      this._isStale = this._throttle.cancel() || this._isStale;
      return;
    }
    this._rows = null;
    if (this._isStale || this._shownId !== this._subject.notebookId) {
      void this._throttle.runNow();
    } else {
      this._changed.emit();
    }
  }

  /** Whether the summaries of another notebook are loading. */
  get isLoading(): boolean {
    return this._isLoading && this._shownId !== this._subject.notebookId;
  }

  /** The failure of the newest request; null if it succeeded. */
  get error(): IFailure | null {
    return this._error;
  }

  /** The rows, deleted cells last; built on demand. */
  get rows(): readonly IOverviewRow[] {
    return (this._rows ??= this._buildRows());
  }

  /** Reload the summaries without delay. */
  refresh(): void {
    void this._throttle.runNow();
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  dispose(): void {
    if (this._isDisposed) {
      return;
    }
    this._isDisposed = true;
    this._throttle.cancel();
    this._request++;
    this._history.changed.disconnect(this._onHistoryChanged, this);
    this._subject.changed.disconnect(this._onSubjectChanged, this);
    Signal.clearData(this);
  }

  private async _load(): Promise<void> {
    const notebookId = this._subject.notebookId;
    const request = ++this._request;
    this._isStale = !this._isActive;
    if (!this._isActive) {
      return;
    }
    this._isLoading = notebookId !== null;
    this._loadingId = notebookId;
    let summaries: SessionSummary[] = [];
    let error: IFailure | null = null;
    if (notebookId !== null) {
      this._changed.emit();
      try {
        summaries = await this._history.summaries(notebookId);
      } catch (reason) {
        error = toFailure(reason);
      }
      if (request !== this._request) {
        return;
      }
    }
    this._isLoading = false;
    this._error = error;
    // The previous summaries stay while the server can't be reached.
    if (error === null || this._shownId !== notebookId) {
      this._summaries = new Map(summaries.map(item => [item.cellId, item]));
      this._shownId = notebookId;
    }
    this._isStale = error !== null;
    this._rows = null;
    this._changed.emit();
  }

  private _buildRows(): IOverviewRow[] {
    const summaries: ReadonlyMap<string, SessionSummary> =
      this._shownId === this._subject.notebookId ? this._summaries : new Map();
    const activeId = this._subject.cell?.id;
    const cells = this._subject.cells();
    const rows: IOverviewRow[] = cells.map(cell => ({
      cellId: cell.id,
      cell,
      firstLine: cell.firstLine,
      summary: summaries.get(cell.id) ?? null,
      isActive: cell.id === activeId
    }));
    const present = new Set(cells.map(cell => cell.id));
    const deletedSummaries = [...summaries.values()]
      .filter(item => !present.has(item.cellId))
      .sort((a, b) => b.lastUpdated.localeCompare(a.lastUpdated));
    for (const summary of deletedSummaries) {
      const lines = summary.lastSource.split('\n').map(line => line.trim());
      rows.push({
        cellId: summary.cellId,
        cell: null,
        firstLine: lines.find(line => line) ?? '',
        summary,
        isActive: false
      });
    }
    return rows;
  }

  private _onHistoryChanged(_: IHistory, key: { notebookId: string }): void {
    const isCurrent = key.notebookId === this._subject.notebookId;
    if (isCurrent && this._isActive) {
      this._throttle.trigger();
    } else if (isCurrent || key.notebookId === this._shownId) {
      this._isStale = true;
    }
  }

  private _onSubjectChanged(_: IReplaySubject, change: SubjectChange): void {
    if (!this._isActive) {
      return;
    }
    if (change === 'source' && this._rows) {
      // Emitted for each key press: rebuild a thousand rows only if the first line changed.
      const row = this._rows.find(({ isActive }) => isActive);
      if (row?.firstLine === this._subject.cell?.firstLine) {
        return;
      }
    }
    this._rows = null;
    if (this._subject.notebookId !== this._shownId && !this._isLoadingCurrent) {
      void this._throttle.runNow();
    } else {
      this._changed.emit();
    }
  }

  private get _isLoadingCurrent(): boolean {
    return this._isLoading && this._loadingId === this._subject.notebookId;
  }

  private readonly _subject: IReplaySubject;
  private readonly _history: IHistory;
  private readonly _throttle = new Throttle(() => this._load());
  private _changed = new Signal<this, void>(this);
  private _error: IFailure | null = null;
  private _isActive = false;
  private _isDisposed = false;
  private _isLoading = false;
  private _isStale = true;
  private _loadingId: string | null = null;
  private _request = 0;
  private _rows: IOverviewRow[] | null = null;
  private _shownId: string | null = null;
  private _summaries = new Map<string, SessionSummary>();
}
