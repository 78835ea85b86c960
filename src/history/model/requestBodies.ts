/**
 * Splits a change of a notebook into requests that are small enough for the server.
 *
 * Invariant: a save, a new order of the cells and the lineage of a cell each need a separate moment
 * of the timeline, so a change with any of them is never merged with others. Nor is the first change
 * that a page records for a notebook: `HistoryModel` stores the seq that the server returns for it.
 */
import { UUID } from '@lumino/coreutils';

import type { CellChange, ChangesBody, EventBody } from '../../api/types';
import { MAX_ORDERED_CELLS } from '../../records/limits';
import type { INotebookChange } from '../../tokens';

const MAX_CELLS = 200;
const MAX_EVENTS = 100;
/** Even if each character takes three bytes, a request is smaller than the server's limit. */
const MAX_CHARACTERS = 500_000;

/** Only a change's last request has its `savedState` and `isInitial`. */
export interface IOutgoingChange extends Pick<
  INotebookChange,
  'savedState' | 'isInitial'
> {
  readonly body: ChangesBody;
}

export function canCoalesce(change: INotebookChange): boolean {
  const { cells, order, saved, isInitial } = change;
  return (
    !order &&
    !saved &&
    !isInitial &&
    !cells.some(cell => cell.forkOf || cell.parents?.length)
  );
}

export function outgoingChanges(change: INotebookChange): IOutgoingChange[] {
  const { savedState, isInitial } = change;
  const bodies = toRequestBodies(change);
  return bodies.map((body, index) =>
    index === bodies.length - 1 ? { body, savedState, isInitial } : { body }
  );
}

/** The last body contains the order and the save. */
export function toRequestBodies({
  cells,
  order,
  saved
}: INotebookChange): ChangesBody[] {
  const bodies = new Bodies();
  for (const cell of cells) {
    // Send a cell without events, too: the server adds its last seq to the change log.
    for (const event of cell.events?.length ? cell.events : [null]) {
      bodies.add(cell, event);
    }
  }
  // If a long order were truncated, the server would take the missing cells for deleted ones.
  const isSent = order && order.length <= MAX_ORDERED_CELLS;
  return bodies.finish({
    ...(isSent && { order: [...order] }),
    ...(saved && { saved })
  });
}

class Bodies {
  add(cell: CellChange, event: EventBody | null): void {
    const size = event ? JSON.stringify(event).length : 0;
    if (this._isFull(cell.cellId, size)) {
      this._finishBody();
    }
    this._size += size;
    const change = this._cells.get(cell.cellId) ?? { ...cell, events: [] };
    this._cells.set(cell.cellId, change);
    if (event) {
      change.events.push(event);
    }
  }

  /** Add `rest` to the last body, or to a further one if the order is too long for it. */
  finish(rest: Pick<ChangesBody, 'order' | 'saved'>): ChangesBody[] {
    const { order } = rest;
    const orderSize = order ? JSON.stringify(order).length : 0;
    if (order && this._size && this._size + orderSize > MAX_CHARACTERS) {
      this._finishBody();
    }
    this._finishBody(rest);
    return this._bodies;
  }

  private _isFull(cellId: string, eventSize: number): boolean {
    const change = this._cells.get(cellId);
    const hasMostParts = change
      ? change.events.length >= MAX_EVENTS
      : this._cells.size >= MAX_CELLS;
    const isTooLong = this._size + eventSize > MAX_CHARACTERS;
    return this._cells.size > 0 && (isTooLong || hasMostParts);
  }

  private _finishBody(rest: Pick<ChangesBody, 'order' | 'saved'> = {}): void {
    const cells = [...this._cells.values()];
    const { _timestamp: timestamp } = this;
    this._bodies.push({ id: UUID.uuid4(), timestamp, cells, ...rest });
    this._cells = new Map();
    this._size = 0;
  }

  private readonly _timestamp = new Date().toISOString();
  private readonly _bodies: ChangesBody[] = [];
  private _cells = new Map<string, CellChange & { events: EventBody[] }>();
  /** The characters in the events of the unfinished body. */
  private _size = 0;
}
