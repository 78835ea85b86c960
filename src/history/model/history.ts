/**
 * Implements `IHistory` with the HTTP API.
 *
 * If two pages have opened a notebook without jupyter-collaboration, a save in one of them removes
 * the other's recorded changes from the file. So this page first sends the sources that it saved,
 * and then records the save.
 *
 * Invariants:
 * - The sources are sent as they were at the time of the save. Until it is recorded, no later change
 *   of the notebook is sent.
 * - A request whose response is lost can be repeated, and nothing is recorded twice.
 * - `changed` is emitted only after the server has written the session.
 * - While the server is unreachable or its disk is full, changes are queued and sent again later.
 * - All changes of a notebook, including its path, reach the server in the order in which they were
 *   made.
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
 * Attempts to record a save. One fails if another page has sent changes since the previous one. If
 * all fail, the save isn't recorded.
 */
const MAX_ATTEMPTS = 10;

export class HistoryModel implements IHistory {
  constructor(readonly api: HistoryApi) {}

  readonly changed = new Signal<this, ISessionChange>(this);
  readonly eventsQueued = new Signal<this, IQueuedEvents>(this);

  /** Whether a write waits for a retry, and would be lost if the page were closed. */
  get hasUnsent(): boolean {
    return [...this._queues.values()].some(({ hasFailed }) => hasFailed);
  }

  notify({ notebookId, cellId, isRemote = false }: ISessionChange): void {
    this.changed.emit({ notebookId, cellId, isRemote });
    // The server is reachable: repeat the failed writes now.
    this._queues.forEach(queue => queue.retry());
  }

  async record(key: ICellKey, bodies: EventBody[]): Promise<void> {
    // The server records each id only once, so an event can be sent again.
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

  /** Resolves to the ids of the changed cells; rejects if a request fails. */
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
    // With `seen`, a seq of the change log, the server answers with the cells that other pages have
    // changed since then, whose saved sources this page must then send. Without `savedState` it
    // couldn't, so it sends no `seen`.
    let seen = savedState && this._lastSeqs.get(notebookId);
    let saveBody: ChangesBody = body;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const response = await this._post(notebookId, { ...saveBody, seen });
      seen = response.seq;
      // `others` are the cells that other pages have changed since `seen`.
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
    // A hidden page may be about to close. The browser must finish its requests nevertheless.
    const isHidden = document.visibilityState === 'hidden';
    const page = this._pageId;
    return this.api.recordChanges(notebookId, { ...body, page }, isHidden);
  }

  private readonly _pageId = UUID.uuid4();
  /**
   * For each notebook, the last seq of its change log when this page last recorded a save or, before
   * the first one, began to watch it.
   */
  private readonly _lastSeqs = new Map<string, number>();
  private readonly _queues = new Map<string, WriteQueue>();
}
