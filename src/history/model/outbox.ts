/**
 * What a person did while the server could not note it: kept, and sent when it can.
 *
 * What must hold: what belongs to one cell is sent in the order in which it was done, with the
 * time at which it was done, and counts once, though it be sent twice. So is what happened to a
 * notebook, behind what it is about. A cell that can't be written holds up no other.
 */
import { UUID } from '@lumino/coreutils';

import type { EventBody } from '../../api/types';
import type { ICellKey } from '../../tokens';
import { MOST_EVENT, fitted, sizeOf } from '../../records/eventSize';
import { isAway, mayPass } from '../../state/failure';
import type { ISending } from './changeQueue';

/**
 * Events with a name each. The server keeps one name once: so what it may have noted already,
 * though its answer got lost, can be sent again.
 */
export function named(events: readonly EventBody[]): EventBody[] {
  return events.map(event => fitted({ id: UUID.uuid4(), ...event }));
}

/** The first wait before it is tried again, and the longest, in milliseconds. */
const FIRST_MS = 5000;
const LONGEST_MS = 60_000;
/** So many in one request. */
const BATCH = 20;

/** Writes what waits; may reject. */
export interface IOutboxSender {
  events(key: ICellKey, events: EventBody[]): Promise<unknown>;
  changes(notebookId: string, sending: ISending): Promise<unknown>;
}

interface IPending {
  readonly keys: readonly ICellKey[];
  /** Events of one cell; more may join them as long as they are the last. */
  readonly events?: EventBody[];
  readonly changes?: ISending;
}

export class Outbox {
  /** @param _onSent A cell's events were written at last. */
  constructor(
    private readonly _sender: IOutboxSender,
    private readonly _onSent: (key: ICellKey) => void
  ) {}

  get isEmpty(): boolean {
    return this._pending.length === 0;
  }

  /** Whether something of this cell waits: what comes after must wait behind it. */
  holds(key: ICellKey): boolean {
    const name = nameOf(key);
    return this._pending.some(({ keys }) => keys.map(nameOf).includes(name));
  }

  /** Whether something of any cell of this notebook waits. */
  holdsAny(notebookId: string): boolean {
    return this._pending.some(({ keys }) =>
      keys.some(key => key.notebookId === notebookId)
    );
  }

  /** Keep events until they can be sent. */
  add(key: ICellKey, events: readonly EventBody[]): void {
    const timestamp = new Date().toISOString();
    const timed = events.map(event => ({ timestamp, ...event }));
    const last = this._pending.at(-1);
    if (last?.events && nameOf(last.keys[0]) === nameOf(key)) {
      last.events.push(...timed);
    } else {
      this._pending.push({ keys: [key], events: timed });
    }
    this._schedule();
  }

  /** Keep what happened to a notebook until it can be sent. */
  addChanges(notebookId: string, changes: ISending): void {
    const cells = changes.body.cells ?? [];
    // One without cells (the notebook was saved) belongs to the notebook all the same.
    const ids = cells.length ? cells.map(cell => cell.cellId) : [''];
    const keys = ids.map(cellId => ({ notebookId, cellId }));
    this._pending.push({ keys, changes });
    this._schedule();
  }

  /** Send what waits. Resolves when all was tried; never rejects. */
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
      const names = pending.keys.map(nameOf);
      let isHeld = names.some(name => blocked.has(name));
      try {
        if (!isHeld) {
          await this._empty(pending);
        }
      } catch (reason) {
        if (isAway(reason)) {
          blocked.add('');
          break; // For all cells alike. Else it may be this one's file alone.
        }
        isHeld = true;
      }
      if (isHeld) {
        names.forEach(name => blocked.add(name));
        index++;
      } else {
        this._pending.splice(index, 1);
        pending.keys.forEach((key, at) => sent.set(names[at], key));
      }
    }
    if (!blocked.size) {
      this._wait = FIRST_MS;
    }
    for (const [name, key] of sent) {
      if (!blocked.has(name) && key.cellId) {
        this._onSent(key);
      }
    }
  }

  /** Send one that waits. Rejects where that may still pass later. */
  private async _empty({ keys, events, changes }: IPending): Promise<void> {
    if (changes) {
      await this._try(() => this._sender.changes(keys[0].notebookId, changes));
    }
    while (events?.length) {
      const batch = batchOf(events);
      await this._try(() => this._sender.events(keys[0], batch));
      events.splice(0, batch.length);
    }
  }

  private async _try(send: () => Promise<unknown>): Promise<void> {
    try {
      await send();
    } catch (reason) {
      if (mayPass(reason)) {
        throw reason;
      }
      console.warn('AI Server could not note what was done in a cell.');
    }
  }

  private _schedule(): void {
    if (this._timer === null && !this.isEmpty) {
      this._timer = setTimeout(() => {
        this._timer = null;
        // Longer each time, but not for what a person does meanwhile.
        this._wait = Math.min(this._wait * 2, LONGEST_MS);
        void this.flush();
      }, this._wait);
    }
  }

  private readonly _pending: IPending[] = [];
  private _flushing: Promise<void> | null = null;
  private _timer: ReturnType<typeof setTimeout> | null = null;
  private _wait = FIRST_MS;
}

/** The first of these events, as many as one request takes. */
function batchOf(events: readonly EventBody[]): EventBody[] {
  let size = 0;
  const over = events.findIndex((event, index) => {
    size += sizeOf(event);
    return index === BATCH || (index > 0 && size > MOST_EVENT);
  });
  return over < 0 ? [...events] : events.slice(0, over);
}

function nameOf(key: ICellKey): string {
  return JSON.stringify([key.notebookId, key.cellId]);
}
