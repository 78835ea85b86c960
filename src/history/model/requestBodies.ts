/**
 * Splits a change of a notebook into requests that are small enough for the server.
 *
 * Invariant: a save, a new order of the cells and a new lineage are moments of the timeline, so a
 * change with one of these is never merged with other changes.
 */
import { UUID } from '@lumino/coreutils';

import type { CellChange, ChangesBody } from '../../api/types';
import { MAX_ORDERED_CELLS } from '../../records/limits';
import type { INotebookChange } from '../../tokens';

/** The largest numbers of cells and events in one request. */
const MAX_CELLS = 200;
const MAX_EVENTS = 100;
/**
 * The largest number of characters in one request: at three bytes each, below the server's limit.
 */
const MAX_TEXT = 500_000;

/** One request of a change. The last request of a change carries its other properties. */
export interface IOutgoingChange extends Pick<
  INotebookChange,
  'savedState' | 'isInitial'
> {
  readonly body: ChangesBody;
}

/** Whether a change can be merged with other changes, because it isn't a moment by itself. */
export function canCoalesce(change: INotebookChange): boolean {
  const { cells, order, saved, isInitial } = change;
  return (
    !order &&
    !saved &&
    !isInitial &&
    !cells.some(cell => cell.forkOf || cell.parents?.length)
  );
}

/** Split a change into requests. */
export function outgoingChanges(change: INotebookChange): IOutgoingChange[] {
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
  // An order that is too long isn't sent: a truncated one would mean that the other cells are
  // deleted.
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
