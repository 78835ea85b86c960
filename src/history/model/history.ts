/**
 * `IHistory` over the HTTP API. It keeps no copy: whoever looks asks anew when told to.
 *
 * What must hold: `changed` is emitted after the server has written, never before; what a
 * person did is not lost because the server was away or its disk full; what is told of one
 * notebook reaches the server in the order in which it was told, its path and cells included.
 */
import { ISignal, Signal } from '@lumino/signaling';

import type { ApiClient } from '../../api/client';
import type {
  Blame,
  BlameBody,
  EventBody,
  ISearchAsk,
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
  IChange,
  IHistory,
  IRecorded,
  IWritten
} from '../../tokens';
import { ChangeSender } from './changes';
import { mayPass } from '../../state/failure';
import { ISending, Lane } from './changeQueue';
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
  | 'recordChanges'
  | 'models'
>;

export class HistoryModel implements IHistory {
  constructor(private readonly _api: HistoryApi) {
    this._sender = new ChangeSender((notebookId, body) =>
      this._api.recordChanges(notebookId, body, isGoing())
    );
    this._outbox = new Outbox(
      {
        events: (key, events) =>
          this._api.record(key.notebookId, key.cellId, events),
        changes: (notebookId, sending) => this._sender.send(notebookId, sending)
      },
      key => this.notify(key)
    );
  }

  get changed(): ISignal<IHistory, IWritten> {
    return this._changed;
  }

  get told(): ISignal<IHistory, IRecorded> {
    return this._told;
  }

  /** Whether something waits to be noted: it would go with the page. */
  get isWaiting(): boolean {
    return !this._outbox.isEmpty;
  }

  notify({ notebookId, cellId, byOthers = false }: IWritten): void {
    this._changed.emit({ notebookId, cellId, byOthers });
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
  ): Promise<NotebookSnapshot> {
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
    this._told.emit({ key, events });
    if (this._outbox.holds(key)) {
      this._outbox.add(key, events);
      await this._outbox.flush();
      if (this._outbox.holds(key)) {
        throw new Error('The history can’t be written right now.');
      }
      return;
    }
    try {
      await this._lane(key.notebookId).run(() =>
        this._api.record(key.notebookId, key.cellId, events)
      );
    } catch (reason) {
      if (mayPass(reason)) {
        this._outbox.add(key, events);
      }
      throw reason;
    }
    this.notify(key);
  }

  change(notebookId: string, change: IChange | Promise<IChange>): void {
    this._lane(notebookId).push(change);
  }

  behind<T>(notebookId: string, work: () => Promise<T>): Promise<T> {
    return this._lane(notebookId).run(async () => {
      if (this._outbox.holdsAny(notebookId)) {
        await this._outbox.flush();
      }
      return work();
    });
  }

  async settled(notebookId: string): Promise<void> {
    await this._lanes.get(notebookId)?.settled();
  }

  private _lane(notebookId: string): Lane {
    let lane = this._lanes.get(notebookId);
    if (!lane) {
      lane = new Lane(sending => this._write(notebookId, sending));
      this._lanes.set(notebookId, lane);
    }
    return lane;
  }

  private async _write(notebookId: string, sending: ISending): Promise<void> {
    if (this._outbox.holdsAny(notebookId)) {
      this._outbox.addChanges(notebookId, sending);
      await this._outbox.flush();
      return;
    }
    let written: string[] = [];
    try {
      written = await this._sender.send(notebookId, sending);
    } catch (reason) {
      if (mayPass(reason)) {
        this._outbox.addChanges(notebookId, sending);
      } else {
        console.warn('AI Server could not note what was done in a notebook.');
      }
      return;
    }
    written.forEach(cellId => this.notify({ notebookId, cellId }));
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

  private readonly _sender: ChangeSender;
  private readonly _outbox: Outbox;
  private readonly _told = new Signal<this, IRecorded>(this);
  private readonly _lanes = new Map<string, Lane>();
  private _models: Promise<ModelList> | null = null;
  private _changed = new Signal<IHistory, IWritten>(this);
}

/** Whether the page may be on its way out: then what is sent must outlive it. */
function isGoing(): boolean {
  return document.visibilityState === 'hidden';
}
