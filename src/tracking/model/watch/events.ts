/**
 * Create the events of operations on cells.
 *
 * Invariant: each event has its own id and timestamp, so that it can be sent again and is recorded
 * once.
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

/** A change of a cell with events. */
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

/** The state that a save wrote into the file, for cells that other pages have recorded. */
export function savedStateOf(
  sources: ReadonlyMap<string, string>,
  order: readonly PlacedCell[]
): NonNullable<INotebookChange['savedState']> {
  const data = { trigger: 'save', again: true };
  // A version that is restored keeps the contributors of its lines.
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
  const source = (id: string) => states.get(id)!.source;
  const originOf = (cellId: string) => ({ notebookId, cellId });
  const edit = (cellId: string, reason: Trigger) => [
    {
      cellId,
      events: [createEvent('edit', source(cellId), { trigger: reason })]
    }
  ];
  switch (operation.kind) {
    case 'split': {
      const { from, pieces } = operation;
      return pieces.map(cellId => ({
        cellId,
        ...(cellId !== from && { forkOf: originOf(from) }),
        events: [
          createEvent('split', source(cellId), { pieces: [...pieces], from })
        ]
      }));
    }
    case 'merge': {
      const { into, isRestored } = operation;
      const parents = [...operation.parents];
      const mergeEvent = isRestored
        ? createEvent('undelete', source(into))
        : createEvent('merge', source(into), { parents });
      return [
        { cellId: into, ...(!isRestored && { parents }), events: [mergeEvent] },
        ...parents.map(cellId => ({
          cellId,
          events: [createEvent('merge', undefined, { into })]
        }))
      ];
    }
    case 'copy': {
      const { id: cellId, from } = operation;
      const { notebookId: notebook_id, cellId: cell_id } = from;
      const data = { from: { notebook_id, cell_id } };
      return [
        {
          cellId,
          forkOf: from,
          events: [createEvent('copy', source(cellId), data)]
        }
      ];
    }
    case 'new':
      return edit(operation.id, trigger === 'paste' ? 'paste' : 'first');
    case 'edit':
      return edit(operation.id, trigger);
    case 'delete':
    case 'undelete': {
      const { kind, id: cellId, index, after } = operation;
      const deletion = createEvent(kind, source(cellId), { index, after });
      return [{ cellId, events: [deletion] }];
    }
    case 'type': {
      const { id: cellId, from, to } = operation;
      const typeChange = createEvent('type', source(cellId), { from, to });
      return [{ cellId, events: [typeChange] }];
    }
    case 'move': {
      const { id: cellId, from, to } = operation;
      return [
        { cellId, events: [createEvent('move', undefined, { from, to })] }
      ];
    }
  }
}
