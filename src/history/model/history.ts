/**
 * `IHistory` over the HTTP API. It caches nothing: views fetch again when `changed` is emitted.
 *
 * Invariants:
 * - `changed` is emitted after the server has written, never before.
 * - No change is lost because the server was unreachable or its disk full.
 * - The changes of one notebook, its path and cells included, reach the server in their order.
 */
import { UUID } from '@lumino/coreutils';
import { ISignal, Signal } from '@lumino/signaling';

import type { ApiClient } from '../../api/client';
import type {
  Blame,
  BlameBody,
  EventBody,
  ISearchRequest,
  ModelList,
  NotebookSnapshot,
  Replay,
  Report,
  SearchResults,
  SessionSummary,
  Timeline
} from '../../api/types';
import type {
  ICellKey,
  INotebookChange,
  IHistory,
  IRecording,
  ISessionChange
} from '../../tokens';
import { fitToLimit } from '../../records/eventSize';
import { ChangeSender } from './changeSender';
import { WriteQueue } from './writeQueue';

/** The part of `ApiClient` that a history uses. */
export type HistoryApi = Pick<
  ApiClient,
  | 'replay'
  | 'blame'
  | 'blob'
  | 'timeline'
  | 'moment'
  | 'report'
  | 'search'
  | 'sessions'
  | 'record'
  | 'recordChanges'
  | 'models'
>;

export class HistoryModel implements IHistory {
  constructor(private readonly _api: HistoryApi) {
    this._sender = new ChangeSender((notebookId, body) =>
      this._api.recordChanges(notebookId, body, isPageHidden())
    );
  }

  get changed(): ISignal<IHistory, ISessionChange> {
    return this._changed;
  }

  get recording(): ISignal<IHistory, IRecording> {
    return this._recording;
  }

  /** Whether writes wait for a retry, which would be lost if the page were closed. */
  get hasUnsent(): boolean {
    return [...this._queues.values()].some(({ hasFailed }) => hasFailed);
  }

  notify({ notebookId, cellId, isRemote = false }: ISessionChange): void {
    this._changed.emit({ notebookId, cellId, isRemote });
    // The server accepts writes, so repeat those that failed.
    this._queues.forEach(queue => queue.retry());
  }

  replay(key: ICellKey, signal?: AbortSignal): Promise<Replay> {
    return this._api.replay(key.notebookId, key.cellId, signal);
  }

  timeline(notebookId: string, signal?: AbortSignal): Promise<Timeline> {
    return this._api.timeline(notebookId, signal);
  }

  moment(
    notebookId: string,
    index: number,
    version?: string,
    signal?: AbortSignal
  ): Promise<NotebookSnapshot> {
    return this._api.moment(notebookId, index, version, signal);
  }

  report(notebookId: string): Promise<Report> {
    return this._api.report(notebookId);
  }

  search(
    request: ISearchRequest,
    signal?: AbortSignal
  ): Promise<SearchResults> {
    return this._api.search(request, signal);
  }

  blame(key: ICellKey, body: BlameBody, signal?: AbortSignal): Promise<Blame> {
    return this._api.blame(key.notebookId, key.cellId, body, signal);
  }

  blob(sha256: string, signal?: AbortSignal): Promise<Blob> {
    return this._api.blob(sha256, signal);
  }

  async summaries(notebookId: string): Promise<SessionSummary[]> {
    const all: SessionSummary[] = [];
    for (;;) {
      const page = await this._api.sessions(notebookId, all.length);
      all.push(...page.sessions);
      if (all.length >= page.total || !page.sessions.length) {
        return all;
      }
    }
  }

  async record(key: ICellKey, bodies: EventBody[]): Promise<void> {
    const events = withIds(bodies);
    this._recording.emit({ key, events });
    await this._queue(key.notebookId).record(key.cellId, events);
  }

  recordChange(
    notebookId: string,
    change: INotebookChange | Promise<INotebookChange>
  ): void {
    this._queue(notebookId).push(change);
  }

  enqueue<T>(notebookId: string, work: () => Promise<T>): Promise<T> {
    return this._queue(notebookId).run(work);
  }

  async flushed(notebookId: string): Promise<void> {
    await this._queues.get(notebookId)?.flushed();
  }

  private _queue(notebookId: string): WriteQueue {
    let queue = this._queues.get(notebookId);
    if (!queue) {
      queue = new WriteQueue({
        sendChange: change => this._sender.send(notebookId, change),
        sendEvents: (cellId, events) =>
          this._api.record(notebookId, cellId, events),
        onWritten: cellId => this.notify({ notebookId, cellId })
      });
      this._queues.set(notebookId, queue);
    }
    return queue;
  }

  models(): Promise<ModelList> {
    // Share one request among all rows that react to the same change. A later call fetches again.
    if (!this._models) {
      this._models = this._api.models();
      void Promise.resolve().then(() => (this._models = null));
    }
    return this._models;
  }

  private readonly _sender: ChangeSender;
  private readonly _recording = new Signal<this, IRecording>(this);
  private readonly _queues = new Map<string, WriteQueue>();
  private _models: Promise<ModelList> | null = null;
  private _changed = new Signal<IHistory, ISessionChange>(this);
}

/**
 * Give each event an id and fit it into a request. The server records an id only once, so an event
 * can be sent again after its response was lost.
 */
function withIds(events: readonly EventBody[]): EventBody[] {
  return events.map(event => fitToLimit({ id: UUID.uuid4(), ...event }));
}

/** Whether the page may be about to close, so that a request must outlive it. */
function isPageHidden(): boolean {
  return document.visibilityState === 'hidden';
}
