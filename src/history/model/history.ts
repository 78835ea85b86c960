/**
 * `IHistory` over the HTTP API. It caches nothing: views fetch again when `changed` is emitted.
 *
 * Invariants:
 * - `changed` is emitted after the server has written, never before.
 * - No change is lost because the server was unreachable or its disk full.
 * - The changes of one notebook, its path and cells included, reach the server in their order.
 */
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
import { isTransient } from '../../state/failure';
import { ChangeQueue, IOutgoingChange } from './changeQueue';
import { ChangeSender } from './changeSender';
import { Outbox, withIds } from './outbox';

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
    this._outbox = new Outbox(
      {
        events: (key, events) =>
          this._api.record(key.notebookId, key.cellId, events),
        changes: (notebookId, change) => this._sender.send(notebookId, change)
      },
      key => this.notify(key)
    );
  }

  get changed(): ISignal<IHistory, ISessionChange> {
    return this._changed;
  }

  get recording(): ISignal<IHistory, IRecording> {
    return this._recording;
  }

  /** Whether the outbox holds changes, which would be lost if the page were closed. */
  get hasUnsent(): boolean {
    return !this._outbox.isEmpty;
  }

  notify({ notebookId, cellId, isRemote = false }: ISessionChange): void {
    this._changed.emit({ notebookId, cellId, isRemote });
    // The server accepts writes, so retry the outbox.
    void this._outbox.flush();
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
    if (this._outbox.hasCell(key)) {
      this._outbox.add(key, events);
      await this._outbox.flush();
      if (this._outbox.hasCell(key)) {
        throw new Error('The history can’t be written right now.');
      }
      return;
    }
    try {
      await this._queue(key.notebookId).run(() =>
        this._api.record(key.notebookId, key.cellId, events)
      );
    } catch (reason) {
      if (isTransient(reason)) {
        this._outbox.add(key, events);
      }
      throw reason;
    }
    this.notify(key);
  }

  recordChange(
    notebookId: string,
    change: INotebookChange | Promise<INotebookChange>
  ): void {
    this._queue(notebookId).push(change);
  }

  enqueue<T>(notebookId: string, work: () => Promise<T>): Promise<T> {
    return this._queue(notebookId).run(async () => {
      if (this._outbox.hasNotebook(notebookId)) {
        await this._outbox.flush();
      }
      return work();
    });
  }

  async flushed(notebookId: string): Promise<void> {
    await this._queues.get(notebookId)?.flushed();
  }

  private _queue(notebookId: string): ChangeQueue {
    let queue = this._queues.get(notebookId);
    if (!queue) {
      queue = new ChangeQueue(change => this._write(notebookId, change));
      this._queues.set(notebookId, queue);
    }
    return queue;
  }

  private async _write(
    notebookId: string,
    change: IOutgoingChange
  ): Promise<void> {
    if (this._outbox.hasNotebook(notebookId)) {
      this._outbox.addChange(notebookId, change);
      await this._outbox.flush();
      return;
    }
    let cellIds: string[] = [];
    try {
      cellIds = await this._sender.send(notebookId, change);
    } catch (reason) {
      if (isTransient(reason)) {
        this._outbox.addChange(notebookId, change);
      } else {
        console.warn('AI Server could not record a change of a notebook.');
      }
      return;
    }
    cellIds.forEach(cellId => this.notify({ notebookId, cellId }));
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
  private readonly _outbox: Outbox;
  private readonly _recording = new Signal<this, IRecording>(this);
  private readonly _queues = new Map<string, ChangeQueue>();
  private _models: Promise<ModelList> | null = null;
  private _changed = new Signal<IHistory, ISessionChange>(this);
}

/** Whether the page may be about to close, so that a request must outlive it. */
function isPageHidden(): boolean {
  return document.visibilityState === 'hidden';
}
