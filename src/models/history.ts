/**
 * `IHistory` over the HTTP API. It keeps no copy: whoever looks asks anew when told to.
 *
 * What must hold:
 * - `changed` is emitted after the server has written, never before.
 * - A cell of which nothing is kept is not asked for: each such answer would stand as an
 *   error in the browser's console. The list of the notebook's sessions says which are kept.
 */
import { ISignal, Signal } from '@lumino/signaling';

import type { ApiClient } from '../api/client';
import { ApiError } from '../api/request';
import type {
  EventBody,
  ModelList,
  Replay,
  SessionSummary
} from '../api/types';
import type { ICellKey, IHistory } from '../tokens';

/** The calls that a history needs; `ApiClient` has them. */
export type HistoryApi = Pick<
  ApiClient,
  'replay' | 'sessions' | 'record' | 'models'
>;

/** How long a list is taken to be whole, in milliseconds: other tabs write as well. */
const LISTED_MS = 10_000;

export class HistoryModel implements IHistory {
  constructor(private readonly _api: HistoryApi) {}

  get changed(): ISignal<IHistory, ICellKey> {
    return this._changed;
  }

  notify(key: ICellKey): void {
    this._kept.add(nameOf(key));
    this._changed.emit({ notebookId: key.notebookId, cellId: key.cellId });
  }

  async replay(key: ICellKey, signal?: AbortSignal): Promise<Replay | null> {
    const name = nameOf(key);
    if (!this._kept.has(name)) {
      await this._list(key.notebookId);
    }
    if (!this._kept.has(name)) {
      return null;
    }
    try {
      return await this._api.replay(key.notebookId, key.cellId, signal);
    } catch (reason) {
      if (reason instanceof ApiError && reason.status === 404) {
        this._kept.delete(name);
        return null;
      }
      throw reason;
    }
  }

  async summaries(notebookId: string): Promise<SessionSummary[]> {
    const all: SessionSummary[] = [];
    for (;;) {
      const page = await this._api.sessions(notebookId, all.length);
      all.push(...page.sessions);
      for (const { cellId } of page.sessions) {
        this._kept.add(nameOf({ notebookId, cellId }));
      }
      if (all.length >= page.total || !page.sessions.length) {
        return all;
      }
    }
  }

  async record(key: ICellKey, events: EventBody[]): Promise<void> {
    await this._api.record(key.notebookId, key.cellId, events);
    this.notify(key);
  }

  models(): Promise<ModelList> {
    return this._api.models();
  }

  /** Learn which cells of a notebook have a session; at once where that is known. */
  private _list(notebookId: string): Promise<unknown> {
    const last = this._lists.get(notebookId);
    if (last && Date.now() - last.at < LISTED_MS) {
      return last.done;
    }
    const done = this.summaries(notebookId);
    this._lists.set(notebookId, { at: Date.now(), done });
    done.catch(() => this._lists.delete(notebookId));
    return done;
  }

  private _changed = new Signal<IHistory, ICellKey>(this);
  /** The cells known to have a session. */
  private readonly _kept = new Set<string>();
  private readonly _lists = new Map<
    string,
    { at: number; done: Promise<unknown> }
  >();
}

function nameOf(key: ICellKey): string {
  return `${key.notebookId}/${key.cellId}`;
}
