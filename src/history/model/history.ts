/**
 * Implements `IHistory` with the HTTP API.
 *
 * Invariants:
 * - `changed` is emitted only after the server has written the session.
 * - While the server is unreachable or its disk is full, changes are queued and sent again later.
 * - All changes of a notebook, including changes of its path, reach the server in the order in
 *   which they were made.
 */
import { UUID } from '@lumino/coreutils';
import { Signal } from '@lumino/signaling';

import type { ApiClient } from '../../api/client';
import type { EventBody } from '../../api/types';
import type {
  HistoryReader,
  ICellKey,
  INotebookChange,
  IHistory,
  IQueuedEvents,
  ISessionChange
} from '../../tokens';
import { fitToLimit } from '../../records/eventSize';
import { ChangeSender } from './changeSender';
import { WriteQueue } from './writeQueue';

export type HistoryApi = HistoryReader &
  Pick<ApiClient, 'record' | 'recordChanges'>;

export class HistoryModel implements IHistory {
  constructor(readonly api: HistoryApi) {
    this._sender = new ChangeSender((notebookId, body) => {
      // A hidden page may be about to close, so the browser must finish the page's requests even
      // after the page has closed.
      const isHidden = document.visibilityState === 'hidden';
      return api.recordChanges(notebookId, body, isHidden);
    });
  }

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
        sendChange: change => this._sender.send(notebookId, change),
        sendEvents: (cellId, events) =>
          this.api.record({ notebookId, cellId }, events),
        onWritten: cellId => this.notify({ notebookId, cellId })
      });
      this._queues.set(notebookId, queue);
    }
    return queue;
  }

  private readonly _sender: ChangeSender;
  private readonly _queues = new Map<string, WriteQueue>();
}
