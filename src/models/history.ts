/**
 * `IHistory` over the HTTP API. It keeps no copy: whoever looks asks anew when told to.
 *
 * What must hold: `changed` is emitted after the server has written, never before; what a
 * person did is not lost because the server was away or its disk full.
 */
import { ISignal, Signal } from '@lumino/signaling';

import type { ApiClient } from '../api/client';
import type {
  Blame,
  BlameBody,
  EventBody,
  ISearchAsk,
  ModelList,
  NotebookThen,
  Replay,
  Report,
  SearchResults,
  SessionSummary,
  Timeline
} from '../api/types';
import type { ICellKey, IHistory } from '../tokens';
import { mayPass } from './failure';
import { named, Outbox } from './outbox';

/** The calls that a history needs; `ApiClient` has them. */
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
  | 'models'
>;

export class HistoryModel implements IHistory {
  constructor(private readonly _api: HistoryApi) {
    this._outbox = new Outbox(
      (key, events) => this._api.record(key.notebookId, key.cellId, events),
      key => this.notify(key)
    );
  }

  get changed(): ISignal<IHistory, ICellKey> {
    return this._changed;
  }

  /** Whether something waits to be noted: it would go with the page. */
  get isWaiting(): boolean {
    return !this._outbox.isEmpty;
  }

  notify(key: ICellKey): void {
    this._changed.emit({ notebookId: key.notebookId, cellId: key.cellId });
    // The server writes again: what waits can be written too.
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
  ): Promise<NotebookThen> {
    return this._api.moment(notebookId, index, version, signal);
  }

  report(notebookId: string): Promise<Report> {
    return this._api.report(notebookId);
  }

  search(ask: ISearchAsk, signal?: AbortSignal): Promise<SearchResults> {
    return this._api.search(ask, signal);
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

  async record(key: ICellKey, done: EventBody[]): Promise<void> {
    const events = named(done);
    if (this._outbox.holds(key)) {
      this._outbox.add(key, events);
      await this._outbox.flush();
      if (this._outbox.holds(key)) {
        throw new Error('The history can’t be written right now.');
      }
      return;
    }
    try {
      await this._api.record(key.notebookId, key.cellId, events);
    } catch (reason) {
      if (mayPass(reason)) {
        this._outbox.add(key, events);
      }
      throw reason;
    }
    this.notify(key);
  }

  models(): Promise<ModelList> {
    // All rows ask at once when they hear of a change. Who asks later does so about what changed
    // meanwhile, and is answered anew.
    if (!this._models) {
      this._models = this._api.models();
      void Promise.resolve().then(() => (this._models = null));
    }
    return this._models;
  }

  private readonly _outbox: Outbox;
  private _models: Promise<ModelList> | null = null;
  private _changed = new Signal<IHistory, ICellKey>(this);
}
