/**
 * Queue of events and changes that the server could not record yet; retries until it can.
 *
 * Invariants:
 * - The events of one cell are sent in their order, with their original timestamps, and are
 *   recorded once even if they are sent twice. A change of a notebook is sent after earlier events
 *   of its cells.
 * - A cell that can't be written doesn't block other cells.
 */
import { UUID } from '@lumino/coreutils';

import type { EventBody } from '../../api/types';
import type { ICellKey } from '../../tokens';
import { MAX_EVENT_BYTES, fitToLimit, byteSize } from '../../records/eventSize';
import { isUnreachable, isTransient } from '../../state/failure';
import type { IOutgoingChange } from './changeQueue';

/**
 * Give each event an id and fit it into a request. The server records an id only once, so an event
 * can be sent again after its response was lost.
 */
export function withIds(events: readonly EventBody[]): EventBody[] {
  return events.map(event => fitToLimit({ id: UUID.uuid4(), ...event }));
}

/** The delay before the first retry, and the longest delay, in milliseconds. */
const MIN_DELAY_MS = 5000;
const MAX_DELAY_MS = 60_000;
/** Most events of one request. */
const BATCH_SIZE = 20;

/** Sends queued events and changes to the server; may reject. */
export interface IOutboxSender {
  events(key: ICellKey, events: EventBody[]): Promise<unknown>;
  changes(notebookId: string, change: IOutgoingChange): Promise<unknown>;
}

interface IPending {
  readonly keys: readonly ICellKey[];
  /** Events of one cell; later events are appended while this is the last entry. */
  readonly events?: EventBody[];
  readonly change?: IOutgoingChange;
}

export class Outbox {
  /** @param _onSent Called when all queued events of a cell have been written. */
  constructor(
    private readonly _sender: IOutboxSender,
    private readonly _onSent: (key: ICellKey) => void
  ) {}

  get isEmpty(): boolean {
    return this._pending.length === 0;
  }

  /** Whether entries of this cell are queued; later ones must be queued behind them. */
  hasCell(key: ICellKey): boolean {
    const id = keyString(key);
    return this._pending.some(({ keys }) => keys.map(keyString).includes(id));
  }

  /** Whether entries of any cell of this notebook are queued. */
  hasNotebook(notebookId: string): boolean {
    return this._pending.some(({ keys }) =>
      keys.some(key => key.notebookId === notebookId)
    );
  }

  /** Queue events of a cell. */
  add(key: ICellKey, events: readonly EventBody[]): void {
    const timestamp = new Date().toISOString();
    const timestamped = events.map(event => ({ timestamp, ...event }));
    const last = this._pending.at(-1);
    if (last?.events && keyString(last.keys[0]) === keyString(key)) {
      last.events.push(...timestamped);
    } else {
      this._pending.push({ keys: [key], events: timestamped });
    }
    this._schedule();
  }

  /** Queue a change of a notebook. */
  addChange(notebookId: string, change: IOutgoingChange): void {
    const cells = change.body.cells ?? [];
    // A change without cells, such as a save, still needs a key of the notebook.
    const ids = cells.length ? cells.map(cell => cell.cellId) : [''];
    const keys = ids.map(cellId => ({ notebookId, cellId }));
    this._pending.push({ keys, change });
    this._schedule();
  }

  /** Try to send all entries. Resolves after one attempt at each; never rejects. */
  flush(): Promise<void> {
    this._flushing ??= this._flush().finally(() => {
      this._flushing = null;
      this._schedule();
    });
    return this._flushing;
  }

  private async _flush(): Promise<void> {
    const blocked = new Set<string>();
    const sent = new Map<string, ICellKey>();
    let index = 0;
    while (index < this._pending.length) {
      const pending = this._pending[index];
      const ids = pending.keys.map(keyString);
      let isBlocked = ids.some(id => blocked.has(id));
      try {
        if (!isBlocked) {
          await this._send(pending);
        }
      } catch (reason) {
        if (isUnreachable(reason)) {
          blocked.add('');
          break; // No cell can be written now.
        }
        isBlocked = true; // Perhaps only this cell's file can't be written.
      }
      if (isBlocked) {
        ids.forEach(id => blocked.add(id));
        index++;
      } else {
        this._pending.splice(index, 1);
        pending.keys.forEach((key, at) => sent.set(ids[at], key));
      }
    }
    if (!blocked.size) {
      this._delay = MIN_DELAY_MS;
    }
    for (const [id, key] of sent) {
      if (!blocked.has(id) && key.cellId) {
        this._onSent(key);
      }
    }
  }

  /** Send one entry. Rejects with a transient failure, after which it can be retried. */
  private async _send({ keys, events, change }: IPending): Promise<void> {
    if (change) {
      await this._try(() => this._sender.changes(keys[0].notebookId, change));
    }
    while (events?.length) {
      const batch = nextBatch(events);
      await this._try(() => this._sender.events(keys[0], batch));
      events.splice(0, batch.length);
    }
  }

  private async _try(send: () => Promise<unknown>): Promise<void> {
    try {
      await send();
    } catch (reason) {
      if (isTransient(reason)) {
        throw reason;
      }
      console.warn('AI Server could not record a change of a cell.');
    }
  }

  private _schedule(): void {
    if (this._timer === null && !this.isEmpty) {
      this._timer = setTimeout(() => {
        this._timer = null;
        // Back off on each retry, but not for each event that is added meanwhile.
        this._delay = Math.min(this._delay * 2, MAX_DELAY_MS);
        void this.flush();
      }, this._delay);
    }
  }

  private readonly _pending: IPending[] = [];
  private _flushing: Promise<void> | null = null;
  private _timer: ReturnType<typeof setTimeout> | null = null;
  private _delay = MIN_DELAY_MS;
}

/** The first events, as many as fit into one request. */
function nextBatch(events: readonly EventBody[]): EventBody[] {
  let size = 0;
  const end = events.findIndex((event, index) => {
    size += byteSize(event);
    return index === BATCH_SIZE || (index > 0 && size > MAX_EVENT_BYTES);
  });
  return end < 0 ? [...events] : events.slice(0, end);
}

function keyString(key: ICellKey): string {
  return JSON.stringify([key.notebookId, key.cellId]);
}
