/**
 * The queue of all writes about one notebook: changes, events of a cell, and other requests.
 *
 * Invariants:
 * - Writes are sent one at a time, in order. A change or an event that the server can't accept now
 *   stays in the queue and is sent again, with its original timestamps, until the server accepts it.
 *   If it is sent twice, it is recorded once.
 * - If a cell can't be written, its later writes wait. Those of other cells wait only if no request
 *   can succeed at present (see `isUnreachable`).
 * - Consecutive changes that wait in the queue are merged, unless one must be a separate moment of
 *   the timeline.
 */
import { PromiseDelegate } from '@lumino/coreutils';

import type { EventBody } from '../../api/types';
import { isTransient, isUnreachable } from '../../state/failure';
import type { INotebookChange } from '../../tokens';
import { canCoalesce, IOutgoingChange, outgoingChanges } from './requestBodies';

const MIN_DELAY_MS = 5000;
const MAX_DELAY_MS = 60_000;

export interface IWriteQueueOptions {
  /** Sends one of the requests of a change; resolves to the ids of the written cells. */
  sendChange(change: IOutgoingChange): Promise<readonly string[]>;
  sendEvents(cellId: string, events: EventBody[]): Promise<unknown>;
  /**
   * Called when a cell was written, unless a later write of it is queued. Changes that aren't split
   * into requests yet don't count.
   */
  onWritten(cellId: string): void;
}

interface IWrite {
  /** The id `''` represents the notebook itself. */
  readonly cellIds: readonly string[];
  /** Resolves to the ids of the written cells. */
  readonly send: () => Promise<readonly string[]>;
  /** Called without `reason` when the write was sent, else with the error. */
  readonly onAttempt?: (reason?: unknown) => void;
  hasFailed?: boolean;
}

interface IPendingChange {
  /** Resolves when the change can be sent; to null if it can't be built. */
  readonly change: Promise<INotebookChange | null>;
}

type Queued = IWrite | IPendingChange;

export class WriteQueue {
  constructor(private readonly _options: IWriteQueueOptions) {}

  get hasFailed(): boolean {
    return this._queued.some(queued => 'send' in queued && queued.hasFailed);
  }

  push(change: INotebookChange | Promise<INotebookChange>): void {
    this._add({ change: Promise.resolve(change).catch(() => null) });
  }

  /**
   * Resolves when the events were sent. Rejects if they could not be sent at the first attempt, even
   * though a retry may send them later.
   */
  record(cellId: string, bodies: readonly EventBody[]): Promise<void> {
    const firstAttempt = new PromiseDelegate<void>();
    let events = [...bodies];
    this._add({
      cellIds: [cellId],
      send: async () => {
        await this._options.sendEvents(cellId, events);
        return [cellId];
      },
      onAttempt: reason => {
        if (reason === undefined) {
          firstAttempt.resolve();
        } else {
          // A retry must record the time of the first attempt.
          const timestamp = new Date().toISOString();
          events = events.map(event => ({ timestamp, ...event }));
          firstAttempt.reject(reason);
        }
      }
    });
    return firstAttempt.promise;
  }

  /**
   * Queue a request that is neither a change nor events. It is sent when each earlier write has
   * been sent or waits for a retry. If it fails, the queue doesn't repeat it.
   */
  run<T>(request: () => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const send = () => request().then(resolve, reject);
      this._add({ cellIds: [], send: () => send().then(() => []) });
    });
  }

  retry(): void {
    if (this.hasFailed) {
      this._start();
    }
  }

  /** Wait until each queued write has been sent, has failed or waits for a retry. */
  async settled(): Promise<void> {
    while (this._sending) {
      await this._sending;
    }
  }

  private _add(queued: Queued): void {
    this._queued.push(queued);
    this._start();
  }

  private _start(): void {
    this._sending ??= this._sendAll();
  }

  /** Send each write that no earlier failure blocks, once. Never rejects. */
  private async _sendAll(): Promise<void> {
    const blockedIds = new Set<string>();
    let isOffline = false;
    let index = 0;
    while (index < this._queued.length) {
      const write = this._queued[index];
      if ('change' in write) {
        await this._splitChange(index);
        continue;
      }
      const { cellIds } = write;
      const isBlocked = cellIds.some(id => isOffline || blockedIds.has(id));
      const failure = isBlocked ? BLOCKED : await this._send(write);
      if (failure !== null && isTransient(failure)) {
        cellIds.forEach(id => blockedIds.add(id));
        isOffline ||= !isBlocked && isUnreachable(failure);
        write.hasFailed = true;
        index++;
      }
      if (failure !== null) {
        write.onAttempt?.(failure);
      }
    }
    this._sending = null; // From now on, an added write must start a new loop.
    if (!blockedIds.size) {
      this._delay = MIN_DELAY_MS;
    }
    this._schedule();
  }

  /** Remove the write unless it must be repeated. Return the error, or null. */
  private async _send(write: IWrite): Promise<unknown> {
    const remove = () => {
      this._queued.splice(this._queued.indexOf(write), 1);
    };
    try {
      const writtenIds = await write.send();
      remove();
      writtenIds
        .filter(id => !this._hasWritesOf(id))
        .forEach(id => this._options.onWritten(id));
      write.onAttempt?.();
      return null;
    } catch (reason) {
      if (!isTransient(reason)) {
        remove();
        console.warn('AI Server could not record a change of a notebook.');
      }
      return reason;
    }
  }

  private _hasWritesOf(cellId: string): boolean {
    return this._queued.some(
      queued => 'send' in queued && queued.cellIds.includes(cellId)
    );
  }

  /** Replace a change, and those behind it that can be merged with it, by their requests. */
  private async _splitChange(index: number): Promise<void> {
    let merged = await (this._queued[index] as IPendingChange).change;
    let end = index + 1;
    while (merged && canCoalesce(merged)) {
      const next = this._queued[end];
      const following = next && 'change' in next ? await next.change : null;
      if (!following || !canCoalesce(following)) {
        break;
      }
      merged = { cells: [...merged.cells, ...following.cells] };
      end++;
    }
    const writes = merged ? outgoingChanges(merged).map(this._toWrite) : [];
    this._queued.splice(index, end - index, ...writes);
  }

  private readonly _toWrite = (change: IOutgoingChange): IWrite => {
    const cells = change.body.cells ?? [];
    return {
      // A change without cells, such as a save, changes the notebook itself.
      cellIds: cells.length ? cells.map(({ cellId }) => cellId) : [''],
      send: () => this._options.sendChange(change)
    };
  };

  private _schedule(): void {
    if (this._timer === null && this.hasFailed) {
      this._timer = setTimeout(() => {
        this._timer = null;
        // The delay increases only here, not for a new write that fails.
        this._delay = Math.min(this._delay * 2, MAX_DELAY_MS);
        this.retry();
      }, this._delay);
    }
  }

  private readonly _queued: Queued[] = [];
  private _sending: Promise<void> | null = null;
  private _timer: ReturnType<typeof setTimeout> | null = null;
  private _delay = MIN_DELAY_MS;
}

/** The error of a write that isn't sent because of an earlier failure. */
const BLOCKED = new Error('The history can’t be written right now.');
