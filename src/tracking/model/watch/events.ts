/**
 * Creates the events of operations on cells.
 *
 * Invariant: each event has an id and a timestamp from its creation on. So it can be sent again,
 * and the server records it only once.
 */
import { UUID } from '@lumino/coreutils';

import type { CellChange, EventBody, PlacedCell } from '../../../api/types';
import type { INotebookChange } from '../../../tokens';
import { fitToLimit } from '../../../records/eventSize';
import { UNKNOWN } from '../../../records/contributor';
import type { CellOperation, ICellState } from '../lineage';

/** The reason why a source was captured. */
export type Trigger =
  'first' | 'run' | 'request' | 'save' | 'split' | 'paste' | 'leave';

/** The events of one cell, in the form in which the API receives them. */
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
 * Return a function that creates the change which records, for some cells, the source that a save
 * wrote into the file. It is needed if other pages have recorded newer sources meanwhile.
 */
export function savedStateOf(
  sources: ReadonlyMap<string, string>,
  order: readonly PlacedCell[]
): NonNullable<INotebookChange['savedState']> {
  // `again`: the source was recorded before, so its lines keep the contributors they had then.
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

/** The events of an operation, for all cells that it affects. */
export function eventsOf(
  operation: CellOperation,
  notebookId: string,
  states: ReadonlyMap<string, ICellState>,
  trigger: Trigger
): CellEvents[] {
  type Data = Record<string, unknown>;
  const change = (
    cellId: string,
    type: string,
    data?: Data,
    source?: string
  ) => ({
    cellId,
    events: [createEvent(type, source, data)]
  });
  const changeOfSource = (cellId: string, type: string, data?: Data) =>
    change(cellId, type, data, states.get(cellId)!.source);
  switch (operation.kind) {
    case 'split': {
      const { from, pieces } = operation;
      const data = { pieces: [...pieces], from };
      const forkOf = { notebookId, cellId: from };
      return pieces.map(id => ({
        ...changeOfSource(id, 'split', data),
        ...(id !== from && { forkOf })
      }));
    }
    case 'merge': {
      const { into, isRestored } = operation;
      const parents = [...operation.parents];
      return [
        isRestored
          ? changeOfSource(into, 'undelete')
          : { ...changeOfSource(into, 'merge', { parents }), parents },
        ...parents.map(id => change(id, 'merge', { into }))
      ];
    }
    case 'copy': {
      const { id, from } = operation;
      const { notebookId: notebook_id, cellId: cell_id } = from;
      const data = { from: { notebook_id, cell_id } };
      return [{ ...changeOfSource(id, 'copy', data), forkOf: from }];
    }
    case 'new': {
      const data = { trigger: trigger === 'paste' ? 'paste' : 'first' };
      return [changeOfSource(operation.id, 'edit', data)];
    }
    case 'edit':
      return [changeOfSource(operation.id, 'edit', { trigger })];
    case 'delete':
    case 'undelete': {
      const { kind, id, index, after } = operation;
      return [changeOfSource(id, kind, { index, after })];
    }
    case 'type': {
      const { id, from, to } = operation;
      return [changeOfSource(id, 'type', { from, to })];
    }
    case 'move': {
      const { id, from, to } = operation;
      return [change(id, 'move', { from, to })];
    }
  }
}
