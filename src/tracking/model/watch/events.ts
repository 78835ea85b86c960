/**
 * Creates the events of operations on cells.
 *
 * Invariant: each event gets its id and timestamp when it is created. If it is sent twice, the
 * server recognizes the id and records it once.
 */
import { UUID } from '@lumino/coreutils';

import type { CellChange, EventBody, PlacedCell } from '../../../api/types';
import type { INotebookChange } from '../../../tokens';
import { fitToLimit } from '../../../records/eventSize';
import { UNKNOWN } from '../../../records/contributor';
import type { CellOperation, ICellState } from '../lineage';

/**
 * Why a cell's source was recorded at that time. `first`: tracking began. `leave`: the person left
 * the page, or any reason that isn't listed.
 */
export type Trigger =
  'first' | 'run' | 'request' | 'save' | 'split' | 'paste' | 'leave';

/** A change of one cell, always with `events`. */
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
 * Return a function that creates a change with the sources of given cells that a save wrote into the
 * file: it no longer contains the sources that other pages have recorded. `sources` (by cell id) and
 * `order` are those at the time of the save.
 */
export function createSavedState(
  sources: ReadonlyMap<string, string>,
  order: readonly PlacedCell[]
): NonNullable<INotebookChange['savedState']> {
  // `again`: the source was recorded before, so its lines get the same contributors as then.
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
 * Create the events of each cell that an operation changes.
 *
 * @param stateById The states before and after the operation, by cell id.
 * @param trigger For `edit` events.
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
 * The events with which features outside `tracking/` record their writes. An accepted suggestion is
 * an `edit` if its turn could not be saved.
 */
export const OWN_WRITE_EVENTS: ReadonlySet<string> = new Set([
  'accept',
  'edit',
  'restore'
]);
