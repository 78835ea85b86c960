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
