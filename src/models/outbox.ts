/**
 * What a person did while the server could not note it: kept, and sent when it can.
 *
 * What must hold: what belongs to one cell is sent in the order in which it was done, with the
 * time at which it was done, and counts once, though it be sent twice. A cell that can't be written holds up no other.
 */
import { UUID } from '@lumino/coreutils';

import type { EventBody } from '../api/types';
import type { ICellKey } from '../tokens';
import { isAway, mayPass } from './failure';

/**
 * Events with a name each. The server keeps one name once: so what it may have noted already,
 * though its answer got lost, can be sent again.
 */
export function named(events: readonly EventBody[]): EventBody[] {
  return events.map(event => ({ id: UUID.uuid4(), ...event }));
}

/** The first wait before it is tried again, and the longest, in milliseconds. */
const FIRST_MS = 5000;
const LONGEST_MS = 60_000;
/** So many in one request. */
const BATCH = 20;

interface IPending {
  readonly key: ICellKey;
  readonly events: EventBody[];
}

export class Outbox {
  /**
   * @param send Writes events; may reject.
   * @param onSent A cell's events were written at last.
   */
  constructor(
    private readonly _send: (
      key: ICellKey,
      events: EventBody[]
    ) => Promise<unknown>,
    private readonly _onSent: (key: ICellKey) => void
  ) {}

  get isEmpty(): boolean {
    return this._pending.size === 0;
  }

  /** Whether something of this cell waits: what comes after must wait behind it. */
  holds(key: ICellKey): boolean {
    return this._pending.has(nameOf(key));
  }

  /** Keep events until they can be sent. */
  add(key: ICellKey, events: readonly EventBody[]): void {
    const timestamp = new Date().toISOString();
    const pending = this._pending.get(nameOf(key)) ?? { key, events: [] };
    pending.events.push(...events.map(event => ({ timestamp, ...event })));
    this._pending.set(nameOf(key), pending);
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
    let held = false;
    for (const [name, pending] of [...this._pending]) {
      try {
        await this._empty(pending);
      } catch (reason) {
        held = true;
        if (isAway(reason)) {
          break; // For all cells alike. Else it may be this one's file alone.
        }
        continue;
      }
      this._pending.delete(name);
      this._onSent(pending.key);
    }
    this._wait = held ? Math.min(this._wait * 2, LONGEST_MS) : FIRST_MS;
  }

  /** Send what waits of one cell. Rejects where that may still pass later. */
  private async _empty({ key, events }: IPending): Promise<void> {
    while (events.length) {
      const batch = events.slice(0, BATCH);
      try {
        await this._send(key, batch);
      } catch (reason) {
        if (mayPass(reason)) {
          throw reason;
        }
        console.warn('AI Server could not note what was done in a cell.');
      }
      events.splice(0, batch.length);
    }
  }

  private _schedule(): void {
    if (this._timer === null && !this.isEmpty) {
      this._timer = setTimeout(() => {
        this._timer = null;
        void this.flush();
      }, this._wait);
    }
  }

  private readonly _pending = new Map<string, IPending>();
  private _flushing: Promise<void> | null = null;
  private _timer: ReturnType<typeof setTimeout> | null = null;
  private _wait = FIRST_MS;
}

function nameOf(key: ICellKey): string {
  return JSON.stringify([key.notebookId, key.cellId]);
}
