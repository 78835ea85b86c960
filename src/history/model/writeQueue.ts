/**
 * The queue of all writes about one notebook: changes, events of a cell, and other requests.
 *
 * Invariants:
 * - Writes are sent one at a time, in their order. A write that the server can't accept now stays
 *   in the queue and is repeated, with its original timestamps, until the server accepts it. A
 *   write that is sent twice is recorded once.
 * - A cell that can't be written doesn't block other cells; later writes of that cell wait.
 * - Changes that wait in the queue are sent together, unless one is a moment of the timeline.
 */
import { PromiseDelegate } from '@lumino/coreutils';

import type { EventBody } from '../../api/types';
import { isTransient, isUnreachable } from '../../state/failure';
import type { INotebookChange } from '../../tokens';
import { canCoalesce, IOutgoingChange, outgoingChanges } from './requestBodies';

/** The delay before the first retry, and the longest delay, in milliseconds. */
const MIN_DELAY_MS = 5000;
const MAX_DELAY_MS = 60_000;

export interface IWriteQueueOptions {
  /** Sends a change; resolves to the ids of the written cells. */
  sendChange(change: IOutgoingChange): Promise<readonly string[]>;
  sendEvents(cellId: string, events: EventBody[]): Promise<unknown>;
  /** Called after all queued events of a cell have been written. */
  onWritten(cellId: string): void;
}

interface IWrite {
  /** The ids of the cells that the write is about; `''` for the notebook itself. */
  readonly cellIds: readonly string[];
  /** Send the write; resolves to the ids of the written cells. */
  readonly send: () => Promise<readonly string[]>;
  /** Called after each attempt, with the reason of a failure. */
  readonly onTried?: (reason?: unknown) => void;
  hasFailed?: boolean;
}

/** A change that isn't split into requests yet. */
interface IPendingChange {
  /** Resolves to null if the change could not be completed. */
  readonly change: Promise<INotebookChange | null>;
}

export class WriteQueue {
  constructor(private readonly _options: IWriteQueueOptions) {}

  /** Whether any write is waiting for a retry. */
  get hasFailed(): boolean {
    return this._entries.some(entry => 'send' in entry && entry.hasFailed);
  }

  /** Queue a change. */
  push(change: INotebookChange | Promise<INotebookChange>): void {
    this._add({ change: Promise.resolve(change).catch(() => null) });
  }

  /** Queue events of a cell. Rejects if the first attempt fails, even if there will be a retry. */
  record(cellId: string, bodies: readonly EventBody[]): Promise<void> {
    const tried = new PromiseDelegate<void>();
    let events = [...bodies];
    this._add({
      cellIds: [cellId],
      send: async () => {
        await this._options.sendEvents(cellId, events);
        return [cellId];
      },
      onTried: reason => {
        if (reason === undefined) {
          tried.resolve();
        } else {
          const timestamp = new Date().toISOString();
          events = events.map(event => ({ timestamp, ...event }));
          tried.reject(reason);
        }
      }
    });
    return tried.promise;
  }

  /** Queue another request, which is sent only once, and not after writes that wait for a retry. */
  run<T>(work: () => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const send = () => work().then(resolve, reject);
      this._add({ cellIds: [], send: () => send().then(() => []) });
    });
  }

  /** Repeat the writes that wait for a retry. */
  retry(): void {
    if (this.hasFailed) {
      this._start();
    }
  }

  /** Resolves when all queued writes were tried at least once. */
  async flushed(): Promise<void> {
    while (this._working) {
      await this._working;
    }
  }

  private _add(entry: IWrite | IPendingChange): void {
    this._entries.push(entry);
    this._start();
  }

  private _start(): void {
    this._working ??= this._work();
  }

  /** Try to send each write in the queue once. Never rejects. */
  private async _work(): Promise<void> {
    const blocked = new Set<string>();
    let isOffline = false;
    let index = 0;
    while (index < this._entries.length) {
      const entry = this._entries[index];
      if ('change' in entry) {
        await this._split(index);
        continue;
      }
      const { cellIds } = entry;
      const isBlocked = cellIds.some(id => isOffline || blocked.has(id));
      const failure = isBlocked ? BLOCKED : await this._send(entry);
      if (failure !== null && isTransient(failure)) {
        cellIds.forEach(id => blocked.add(id));
        isOffline ||= !isBlocked && isUnreachable(failure);
        entry.hasFailed = true;
        index++;
      }
      if (failure !== null) {
        entry.onTried?.(failure);
      }
    }
    this._working = null; // A write that is added from now on must start the loop again.
    if (!blocked.size) {
      this._delay = MIN_DELAY_MS;
    }
    this._schedule();
  }

  /** Send a write, and remove it from the queue unless it must be repeated. Return the failure. */
  private async _send(entry: IWrite): Promise<unknown> {
    const remove = () => {
      this._entries.splice(this._entries.indexOf(entry), 1);
    };
    try {
      const written = await entry.send();
      remove();
      written
        .filter(id => !this._hasWritesOf(id))
        .forEach(id => this._options.onWritten(id));
      entry.onTried?.();
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
    return this._entries.some(
      entry => 'send' in entry && entry.cellIds.includes(cellId)
    );
  }

  /** Replace a change, and the next changes that can be merged with it, by their requests. */
  private async _split(index: number): Promise<void> {
    let merged = await (this._entries[index] as IPendingChange).change;
    let end = index + 1;
    while (merged && canCoalesce(merged)) {
      const next = this._entries[end];
      const following = next && 'change' in next ? await next.change : null;
      if (!following || !canCoalesce(following)) {
        break;
      }
      merged = { cells: [...merged.cells, ...following.cells] };
      end++;
    }
    const writes = merged ? outgoingChanges(merged).map(this._toWrite) : [];
    this._entries.splice(index, end - index, ...writes);
  }

  private readonly _toWrite = (change: IOutgoingChange): IWrite => {
    const cells = change.body.cells ?? [];
    return {
      // A change without cells, such as a save, is about the notebook.
      cellIds: cells.length ? cells.map(({ cellId }) => cellId) : [''],
      send: () => this._options.sendChange(change)
    };
  };

  private _schedule(): void {
    if (this._timer === null && this.hasFailed) {
      this._timer = setTimeout(() => {
        this._timer = null;
        // Increase the delay only on a retry, not when a write that was added meanwhile fails.
        this._delay = Math.min(this._delay * 2, MAX_DELAY_MS);
        this.retry();
      }, this._delay);
    }
  }

  private readonly _entries: (IWrite | IPendingChange)[] = [];
  private _working: Promise<void> | null = null;
  private _timer: ReturnType<typeof setTimeout> | null = null;
  private _delay = MIN_DELAY_MS;
}

/** The failure of a write that must wait for an earlier write of the same cell. */
const BLOCKED = new Error('The history can’t be written right now.');
