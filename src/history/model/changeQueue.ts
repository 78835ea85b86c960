/**
 * All that is told of one notebook, on its way to the server: in order, in bodies that it takes.
 *
 * What must hold: what was given first is sent first, be it a change or something else that is
 * told. Edits and runs that wait while something is on its way go together; what changed the
 * cells' order, or was saved, stays apart, for it is a moment of the notebook.
 */
import { UUID } from '@lumino/coreutils';

import type { CellChange, ChangesBody } from '../../api/types';
import { MAX_ORDERED_CELLS } from '../../records/limits';
import type { IChange } from '../../tokens';

/** What the server takes at once. */
const MOST_CELLS = 200;
const MOST_EVENTS = 100;
/** Characters; at three bytes each well below what the server takes. */
const MOST_TEXT = 500_000;

/** What is sent at once. The last body of a change tells the rest of it. */
export interface ISending extends Pick<IChange, 'written' | 'isFirst'> {
  readonly body: ChangesBody;
}

interface IWork {
  work(): Promise<unknown>;
}

export class Lane {
  /** @param _send Writes one body, or keeps it until it can be written. Never rejects. */
  constructor(private readonly _send: (sending: ISending) => Promise<void>) {}

  /** Send a change behind all that was given before. */
  push(change: IChange | Promise<IChange>): void {
    this._waiting.push(change);
    this._start();
  }

  /** Do something else behind all that was given before; at once if there is nothing. */
  run<T>(work: () => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this._waiting.push({ work: () => work().then(resolve, reject) });
      this._start();
    });
  }

  /** Resolves when all that was given is sent, or kept until it can be. */
  async settled(): Promise<void> {
    while (this._working) {
      await this._working;
    }
  }

  private _start(): void {
    if (!this._working) {
      const working = this._work().finally(() => {
        if (this._working === working) {
          this._working = null;
        }
      });
      this._working = working;
    }
  }

  private async _work(): Promise<void> {
    while (this._waiting.length) {
      const next = this._waiting.shift()!;
      if ('work' in next) {
        await next.work();
        continue;
      }
      const change = await this._joined(await next);
      for (const sending of sendingsOf(change)) {
        await this._send(sending);
      }
    }
    // Whoever comes now must not wait for one who has nothing more to do.
    this._working = null;
  }

  /** A change with those behind it that need not stay apart. */
  private async _joined(change: IChange): Promise<IChange> {
    let joined = change;
    while (isPlain(joined) && this._waiting.length) {
      const next = this._waiting[0];
      const after = 'work' in next ? null : await next;
      if (!after || !isPlain(after)) {
        break;
      }
      this._waiting.shift();
      joined = { cells: [...joined.cells, ...after.cells] };
    }
    return joined;
  }

  private readonly _waiting: (IChange | Promise<IChange> | IWork)[] = [];
  private _working: Promise<void> | null = null;
}

/** Whether nothing of it must stay a moment of its own. */
function isPlain({ cells, order, saved, isFirst }: IChange): boolean {
  return (
    !order &&
    !saved &&
    !isFirst &&
    !cells.some(cell => cell.forkOf || cell.parents?.length)
  );
}

/** A change in bodies that the server takes, and what belongs to the last of them. */
function sendingsOf(change: IChange): ISending[] {
  const { written, isFirst } = change;
  const bodies = bodiesOf(change);
  return bodies.map((body, index) =>
    index === bodies.length - 1 ? { body, written, isFirst } : { body }
  );
}

/** A change in pieces that the server takes. The order goes with the last of them. */
export function bodiesOf({ cells, order, saved }: IChange): ChangesBody[] {
  const timestamp = new Date().toISOString();
  const bodies: ChangesBody[] = [];
  let now = new Map<string, CellChange & { events: object[] }>();
  let text = 0;
  const close = () => {
    bodies.push({ id: UUID.uuid4(), timestamp, cells: [...now.values()] });
    now = new Map();
    text = 0;
  };
  for (const cell of cells) {
    // One without events is only named: the server says how far it has come.
    const events = cell.events?.length ? cell.events : [null];
    for (const event of events) {
      const size = event ? JSON.stringify(event).length : 0;
      const known = now.get(cell.cellId);
      const isFull =
        text + size > MOST_TEXT ||
        (known ? known.events.length >= MOST_EVENTS : now.size >= MOST_CELLS);
      if (isFull && now.size) {
        close();
      }
      text += size;
      const open = now.get(cell.cellId) ?? { ...cell, events: [] };
      if (event) {
        open.events.push(event);
      }
      now.set(cell.cellId, open);
    }
  }
  const last = text;
  close();
  // An order without its last cells would say that those were deleted.
  const placed = order && order.length <= MAX_ORDERED_CELLS ? order : undefined;
  if (placed && last + JSON.stringify(placed).length > MOST_TEXT && last) {
    bodies.push({ id: UUID.uuid4(), timestamp, cells: [] });
  }
  const moment = bodies[bodies.length - 1];
  if (placed) {
    moment.order = [...placed];
  }
  if (saved) {
    moment.saved = true;
  }
  return bodies;
}
