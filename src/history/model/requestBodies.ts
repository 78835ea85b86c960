/**
 * Splits a change of a notebook into requests that are small enough for the server.
 *
 * Invariant: a save, a new order of the cells and the lineage of a cell each need a separate moment
 * of the timeline. So a change that contains any of them is never merged with other changes. The
 * first change that a page records for a notebook is never merged either: `ChangeSender` stores the
 * seq that the server returns for exactly this change.
 */
import { UUID } from '@lumino/coreutils';

import type { CellChange, ChangesBody } from '../../api/types';
import { MAX_ORDERED_CELLS } from '../../records/limits';
import type { INotebookChange } from '../../tokens';

/** The maximum number of cells in one request. */
const MAX_CELLS = 200;
/** The maximum number of events of one cell in one request. */
const MAX_EVENTS = 100;
/**
 * The maximum number of characters in a request with several events. Even if each character takes
 * three bytes, the request is smaller than the server's limit.
 */
const MAX_CHARACTERS = 500_000;

/**
 * One of the requests into which a change is split. Only the last one has the `savedState` and
 * `isInitial` of the change.
 */
export interface IOutgoingChange extends Pick<
  INotebookChange,
  'savedState' | 'isInitial'
> {
  readonly body: ChangesBody;
}

/** Return whether a change may be merged with other changes. */
export function canCoalesce(change: INotebookChange): boolean {
  const { cells, order, saved, isInitial } = change;
  return (
    !order &&
    !saved &&
    !isInitial &&
    !cells.some(cell => cell.forkOf || cell.parents?.length)
  );
}

/** Split a change into requests, to be sent in this order. */
export function outgoingChanges(change: INotebookChange): IOutgoingChange[] {
  const { savedState, isInitial } = change;
  const bodies = toRequestBodies(change);
  return bodies.map((body, index) =>
    index === bodies.length - 1 ? { body, savedState, isInitial } : { body }
  );
}

/**
 * Split a change into request bodies that the server accepts. The last body contains the order and
 * the save.
 */
export function toRequestBodies({
  cells,
  order,
  saved
}: INotebookChange): ChangesBody[] {
  const timestamp = new Date().toISOString();
  const bodies: ChangesBody[] = [];
  let changeByCellId = new Map<string, CellChange & { events: object[] }>();
  /** The number of characters in the events of the body that isn't finished yet. */
  let bodySize = 0;
  const finishBody = () => {
    bodies.push({
      id: UUID.uuid4(),
      timestamp,
      cells: [...changeByCellId.values()]
    });
    changeByCellId = new Map();
    bodySize = 0;
  };
  for (const cell of cells) {
    // Send a cell without events, too: the server adds its last seq to the change log.
    const events = cell.events?.length ? cell.events : [null];
    for (const event of events) {
      const eventSize = event ? JSON.stringify(event).length : 0;
      const changeInBody = changeByCellId.get(cell.cellId);
      const isFull =
        bodySize + eventSize > MAX_CHARACTERS ||
        (changeInBody
          ? changeInBody.events.length >= MAX_EVENTS
          : changeByCellId.size >= MAX_CELLS);
      if (isFull && changeByCellId.size) {
        finishBody();
      }
      bodySize += eventSize;
      const cellChange = changeByCellId.get(cell.cellId) ?? {
        ...cell,
        events: []
      };
      if (event) {
        cellChange.events.push(event);
      }
      changeByCellId.set(cell.cellId, cellChange);
    }
  }
  // An order that is too long isn't sent. If it were truncated, the server would take the missing
  // cells for deleted ones.
  const sentOrder =
    order && order.length <= MAX_ORDERED_CELLS ? order : undefined;
  if (
    sentOrder &&
    bodySize &&
    bodySize + JSON.stringify(sentOrder).length > MAX_CHARACTERS
  ) {
    finishBody(); // The order gets a body of its own.
  }
  finishBody();
  const lastBody = bodies[bodies.length - 1];
  if (sentOrder) {
    lastBody.order = [...sentOrder];
  }
  if (saved) {
    lastBody.saved = true;
  }
  return bodies;
}
