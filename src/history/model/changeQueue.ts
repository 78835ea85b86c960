/**
 * FIFO queue of the changes and other requests of one notebook, split into bodies that the server
 * accepts.
 *
 * Invariant: edits and runs that wait while a request is on its way are sent together. A save or a
 * change of the cells' order stays separate, because it is a moment of the notebook.
 */
import { UUID } from '@lumino/coreutils';

import type { CellChange, ChangesBody } from '../../api/types';
import { MAX_ORDERED_CELLS } from '../../records/limits';
import type { INotebookChange } from '../../tokens';

/** Limits of one request. */
const MAX_CELLS = 200;
const MAX_EVENTS = 100;
/** Characters; at three bytes each well below the server's limit. */
const MAX_TEXT = 500_000;

/** One request of a change. The last request of a change carries its other properties. */
export interface IOutgoingChange extends Pick<
  INotebookChange,
  'savedState' | 'isInitial'
> {
  readonly body: ChangesBody;
}

interface IWork {
  work(): Promise<unknown>;
}

export class ChangeQueue {
  /** @param _send Sends one request, or puts it into the outbox. Never rejects. */
  constructor(
    private readonly _send: (change: IOutgoingChange) => Promise<void>
  ) {}

  /** Queue a change. */
  push(change: INotebookChange | Promise<INotebookChange>): void {
    this._waiting.push(change);
    this._start();
  }

  /** Queue other work; it starts at once if the queue is empty. */
  run<T>(work: () => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this._waiting.push({ work: () => work().then(resolve, reject) });
      this._start();
    });
  }

  /** Resolves when all queued changes are sent, or wait in the outbox. */
  async flushed(): Promise<void> {
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
      const change = await this._coalesce(await next);
      for (const outgoing of outgoingChanges(change)) {
        await this._send(outgoing);
      }
    }
    // A change that is pushed from now on must start the loop again.
    this._working = null;
  }

  /** Merge a change with the changes behind it that need not stay separate. */
  private async _coalesce(change: INotebookChange): Promise<INotebookChange> {
    let merged = change;
    while (canCoalesce(merged) && this._waiting.length) {
      const next = this._waiting[0];
      const following = 'work' in next ? null : await next;
      if (!following || !canCoalesce(following)) {
        break;
      }
      void this._waiting.shift(); // awaited above
      merged = { cells: [...merged.cells, ...following.cells] };
    }
    return merged;
  }

  private readonly _waiting: (
    INotebookChange | Promise<INotebookChange> | IWork
  )[] = [];
  private _working: Promise<void> | null = null;
}

/** Whether a change can be merged with others: it is not a moment of its own. */
function canCoalesce(change: INotebookChange): boolean {
  const { cells, order, saved, isInitial } = change;
  return (
    !order &&
    !saved &&
    !isInitial &&
    !cells.some(cell => cell.forkOf || cell.parents?.length)
  );
}

/** Split a change into requests. */
function outgoingChanges(change: INotebookChange): IOutgoingChange[] {
  const { savedState, isInitial } = change;
  const bodies = toRequestBodies(change);
  return bodies.map((body, index) =>
    index === bodies.length - 1 ? { body, savedState, isInitial } : { body }
  );
}

/** Split a change into bodies that the server accepts. The last body contains the order. */
export function toRequestBodies({
  cells,
  order,
  saved
}: INotebookChange): ChangesBody[] {
  const timestamp = new Date().toISOString();
  const bodies: ChangesBody[] = [];
  let changes = new Map<string, CellChange & { events: object[] }>();
  let length = 0;
  const closeBody = () => {
    bodies.push({ id: UUID.uuid4(), timestamp, cells: [...changes.values()] });
    changes = new Map();
    length = 0;
  };
  for (const cell of cells) {
    // A cell without events is sent too: the server records its current position.
    const events = cell.events?.length ? cell.events : [null];
    for (const event of events) {
      const eventLength = event ? JSON.stringify(event).length : 0;
      const existing = changes.get(cell.cellId);
      const isFull =
        length + eventLength > MAX_TEXT ||
        (existing
          ? existing.events.length >= MAX_EVENTS
          : changes.size >= MAX_CELLS);
      if (isFull && changes.size) {
        closeBody();
      }
      length += eventLength;
      const current = changes.get(cell.cellId) ?? { ...cell, events: [] };
      if (event) {
        current.events.push(event);
      }
      changes.set(cell.cellId, current);
    }
  }
  const lastLength = length;
  closeBody();
  // A truncated order would mean that the remaining cells were deleted.
  const sentOrder =
    order && order.length <= MAX_ORDERED_CELLS ? order : undefined;
  if (
    sentOrder &&
    lastLength &&
    lastLength + JSON.stringify(sentOrder).length > MAX_TEXT
  ) {
    bodies.push({ id: UUID.uuid4(), timestamp, cells: [] });
  }
  const lastBody = bodies[bodies.length - 1];
  if (sentOrder) {
    lastBody.order = [...sentOrder];
  }
  if (saved) {
    lastBody.saved = true;
  }
  return bodies;
}
