/**
 * Implements `IHistory` with the HTTP API.
 *
 * If two pages have opened a notebook without jupyter-collaboration, a save in one of them removes
 * the other one's recorded changes from the file. So this page first sends the sources that it
 * saved, and then records the save.
 *
 * Invariants:
 * - The page sends the sources as they were at the time of the save, even if the cells have been
 *   edited since then. Until the save is recorded, it sends no later change of the notebook.
 * - A request whose response is lost can be repeated, and nothing is recorded twice.
 * - `changed` is emitted only after the server has written the session.
 * - While the server is unreachable or its disk is full, changes are queued and sent again later.
 * - All changes of a notebook, including changes of its path, reach the server in the order in
 *   which they were made.
 */
import { UUID } from '@lumino/coreutils';
import { Signal } from '@lumino/signaling';

import type { ApiClient } from '../../api/client';
import type { Changes, ChangesBody, EventBody } from '../../api/types';
import type {
  HistoryReader,
  ICellKey,
  INotebookChange,
  IHistory,
  IQueuedEvents,
  ISessionChange
} from '../../tokens';
import { fitToLimit } from '../../records/eventSize';
import { IOutgoingChange, toRequestBodies } from './requestBodies';
import { WriteQueue } from './writeQueue';

export type HistoryApi = HistoryReader &
  Pick<ApiClient, 'record' | 'recordChanges'>;

/**
 * The number of attempts to record a save. An attempt fails if another page has sent changes since
 * the previous one. If all fail, the save isn't recorded.
 */
const MAX_ATTEMPTS = 10;

export class HistoryModel implements IHistory {
  constructor(readonly api: HistoryApi) {}

  readonly changed = new Signal<this, ISessionChange>(this);
  readonly eventsQueued = new Signal<this, IQueuedEvents>(this);

  /** Whether any write is waiting for a retry, and would be lost if the page were closed. */
  get hasUnsent(): boolean {
    return [...this._queues.values()].some(({ hasFailed }) => hasFailed);
  }

  notify({ notebookId, cellId, isRemote = false }: ISessionChange): void {
    this.changed.emit({ notebookId, cellId, isRemote });
    // A session was just written, so the server is reachable: repeat the failed writes now.
    this._queues.forEach(queue => queue.retry());
  }

  async record(key: ICellKey, bodies: EventBody[]): Promise<void> {
    // The server records each id only once, so an event can be sent again if the response was lost.
    const events = bodies.map(body =>
      fitToLimit({ id: UUID.uuid4(), ...body })
    );
    this.eventsQueued.emit({ key, events });
    await this._queue(key.notebookId).record(key.cellId, events);
  }

  recordChange(
    notebookId: string,
    change: INotebookChange | Promise<INotebookChange>
  ): void {
    this._queue(notebookId).push(change);
  }

  enqueue<T>(notebookId: string, request: () => Promise<T>): Promise<T> {
    return this._queue(notebookId).run(request);
  }

  async settled(notebookId: string): Promise<void> {
    await this._queues.get(notebookId)?.settled();
  }

  private _queue(notebookId: string): WriteQueue {
    let queue = this._queues.get(notebookId);
    if (!queue) {
      queue = new WriteQueue({
        sendChange: change => this._sendChange(notebookId, change),
        sendEvents: (cellId, events) =>
          this.api.record({ notebookId, cellId }, events),
        onWritten: cellId => this.notify({ notebookId, cellId })
      });
      this._queues.set(notebookId, queue);
    }
    return queue;
  }

  /** Send a change. Resolves to the ids of the changed cells; rejects if a request fails. */
  private async _sendChange(
    notebookId: string,
    change: IOutgoingChange
  ): Promise<string[]> {
    const { body, isInitial, savedState } = change;
    const cellIds = (body.cells ?? []).map(({ cellId }) => cellId);
    if (!body.saved) {
      const { seq } = await this._post(notebookId, body);
      if (isInitial) {
        this._lastSeqs.set(notebookId, seq);
      }
      return cellIds;
    }
    // If `seen`, a seq of the change log, is sent, the server answers with the cells that other pages
    // have changed since then. This page must then send the saved sources of these cells. If
    // `savedState` is undefined, it couldn't do so. Therefore, it sends no `seen`.
    let seen = savedState && this._lastSeqs.get(notebookId);
    let saveBody: ChangesBody = body;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const response = await this._post(notebookId, { ...saveBody, seen });
      seen = response.seq;
      // `others` are the cells that other pages have changed since the `seen` of this request.
      if (!response.others || !savedState) {
        this._lastSeqs.set(notebookId, seen);
        break;
      }
      const bodies = toRequestBodies(savedState(response.others));
      saveBody = bodies.pop()!;
      for (const precedingBody of bodies) {
        await this._post(notebookId, precedingBody);
      }
      cellIds.push(...response.others);
    }
    return [...new Set(cellIds)];
  }

  private _post(notebookId: string, body: ChangesBody): Promise<Changes> {
    // A hidden page may be about to close, so the browser must finish the page's requests even
    // after the page has closed.
    const isHidden = document.visibilityState === 'hidden';
    const page = this._pageId;
    return this.api.recordChanges(notebookId, { ...body, page }, isHidden);
  }

  private readonly _pageId = UUID.uuid4();
  /**
   * Maps a notebook's id to the last seq of its change log at the time when this page last recorded
   * a save. Before the first save: at the time when this page began to watch the notebook.
   */
  private readonly _lastSeqs = new Map<string, number>();
  private readonly _queues = new Map<string, WriteQueue>();
}
