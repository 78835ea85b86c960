/**
 * Creates the events of operations on cells.
 *
 * Invariant: each event gets its id and timestamp when it is created. If the event is sent twice,
 * the server recognizes the id and records the event only once.
 */
import { UUID } from '@lumino/coreutils';

import type { CellChange, EventBody, PlacedCell } from '../../../api/types';
import type { INotebookChange } from '../../../tokens';
import { fitToLimit } from '../../../records/eventSize';
import { UNKNOWN } from '../../../records/contributor';
import type { CellOperation, ICellState } from '../lineage';

/**
 * The reason why the source of a cell was recorded at a certain time. `first` means that tracking
 * of the cell began. `leave` means that the person left the page, or any reason that isn't listed.
 */
export type Trigger =
  'first' | 'run' | 'request' | 'save' | 'split' | 'paste' | 'leave';

/** A change of one cell as the API receives it; `events` is always set. */
export type CellEvents = CellChange & { events: EventBody[] };

export function createEvent(
  type: string,
  source: string | undefined,
  data?: Record<string, unknown>
): EventBody {
  return fitToLimit({
    id: UUID.uuid4(),
    type,
    timestamp: new Date().toISOString(),
    ...(source !== undefined && { source }),
    ...(data && { data })
  });
}

/**
 * Return a function that takes the ids of cells and creates a change. The change records, for these
 * cells, the sources that a save wrote into the file. It is needed if other pages have recorded
 * other sources of these cells, because the file no longer contains those sources.
 *
 * @param sources The sources of all cells at the time of the save, by cell id.
 * @param order The order of the cells at the time of the save.
 */
export function createSavedState(
  sources: ReadonlyMap<string, string>,
  order: readonly PlacedCell[]
): NonNullable<INotebookChange['savedState']> {
  // `again` means that the source was already recorded once. So the lines of the source get the
  // same contributors as the first time.
  const data = { trigger: 'save', again: true };
  const edit = (source: string) => ({
    ...createEvent('edit', source, data),
    contributor: UNKNOWN
  });
  return ids => ({
    cells: ids.flatMap(cellId => {
      const source = sources.get(cellId);
      return source === undefined ? [] : [{ cellId, events: [edit(source)] }];
    }),
    order,
    saved: true
  });
}

/**
 * Create the events of an operation, for each cell that the operation changes.
 *
 * @param stateById The states of the cells before and after the operation, by cell id.
 * @param trigger The trigger to record in `edit` events.
 */
export function eventsOf(
  operation: CellOperation,
  notebookId: string,
  stateById: ReadonlyMap<string, ICellState>,
  trigger: Trigger
): CellEvents[] {
  type Data = Record<string, unknown>;
  const createChange = (
    cellId: string,
    type: string,
    data?: Data,
    source?: string
  ) => ({
    cellId,
    events: [createEvent(type, source, data)]
  });
  const createChangeWithSource = (cellId: string, type: string, data?: Data) =>
    createChange(cellId, type, data, stateById.get(cellId)!.source);
  switch (operation.kind) {
    case 'split': {
      const { from, pieces } = operation;
      const data = { pieces: [...pieces], from };
      const forkOf = { notebookId, cellId: from };
      return pieces.map(id => ({
        ...createChangeWithSource(id, 'split', data),
        ...(id !== from && { forkOf })
      }));
    }
    case 'merge': {
      const { into, isRestored } = operation;
      const parents = [...operation.parents];
      return [
        isRestored
          ? createChangeWithSource(into, 'undelete')
          : { ...createChangeWithSource(into, 'merge', { parents }), parents },
        ...parents.map(id => createChange(id, 'merge', { into }))
      ];
    }
    case 'copy': {
      const { id, from } = operation;
      const { notebookId: notebook_id, cellId: cell_id } = from;
      const data = { from: { notebook_id, cell_id } };
      return [{ ...createChangeWithSource(id, 'copy', data), forkOf: from }];
    }
    case 'new': {
      const data = { trigger: trigger === 'paste' ? 'paste' : 'first' };
      return [createChangeWithSource(operation.id, 'edit', data)];
    }
    case 'edit':
      return [createChangeWithSource(operation.id, 'edit', { trigger })];
    case 'delete':
    case 'undelete':
    case 'type': {
      const { kind, id, ...data } = operation;
      return [createChangeWithSource(id, kind, data)];
    }
    case 'move': {
      const { kind, id, ...data } = operation;
      return [createChange(id, kind, data)];
    }
  }
}

/**
 * The types of the events with which features outside `tracking/` record that they have written
 * into a cell. An `edit` is among them because an accepted suggestion is recorded as an edit if its
 * turn could not be saved.
 */
export const OWN_WRITE_EVENTS: ReadonlySet<string> = new Set([
  'accept',
  'edit',
  'restore'
]);
