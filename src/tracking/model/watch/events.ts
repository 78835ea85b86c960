/**
 * What happened to cells, as events of their sessions.
 *
 * What must hold: each event has a name and a time of its own, so that it can be sent again and
 * is kept once, at the time when it was done.
 */
import { UUID } from '@lumino/coreutils';

import type { CellChange, EventBody, PlacedCell } from '../../../api/types';
import type { INotebookChange } from '../../../tokens';
import { fitToLimit } from '../../../records/eventSize';
import { UNKNOWN } from '../../../records/contributor';
import type { Happening, ICellState } from '../lineage';

/** Why a source was noted. */
export type Trigger =
  'first' | 'run' | 'request' | 'save' | 'split' | 'paste' | 'leave';

/** A change of a cell that says something. */
export type Told = CellChange & { events: EventBody[] };

export function event(
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

/** What a save wrote into the file, for a record that may say something else of some cells. */
export function writtenBy(
  sources: ReadonlyMap<string, string>,
  order: readonly PlacedCell[]
): NonNullable<INotebookChange['savedState']> {
  const data = { trigger: 'save', again: true };
  // A version that comes back keeps its authors; nobody wrote it now.
  const edit = (source: string) => ({
    ...event('edit', source, data),
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

/** What the sessions of the cells are told of something that happened. */
export function toldBy(
  happened: Happening,
  notebookId: string,
  states: ReadonlyMap<string, ICellState>,
  trigger: Trigger
): Told[] {
  const source = (id: string) => states.get(id)!.source;
  const own = (cellId: string) => ({ notebookId, cellId });
  switch (happened.kind) {
    case 'split': {
      const { from, pieces } = happened;
      return pieces.map(cellId => ({
        cellId,
        ...(cellId !== from && { forkOf: own(from) }),
        events: [event('split', source(cellId), { pieces: [...pieces], from })]
      }));
    }
    case 'merge': {
      const { into, isBack } = happened;
      const parents = [...happened.parents];
      const merged = isBack
        ? event('undelete', source(into))
        : event('merge', source(into), { parents });
      return [
        { cellId: into, ...(!isBack && { parents }), events: [merged] },
        ...parents.map(cellId => ({
          cellId,
          events: [event('merge', undefined, { into })]
        }))
      ];
    }
    case 'copy': {
      const { id: cellId, from } = happened;
      const { notebookId: notebook_id, cellId: cell_id } = from;
      const data = { from: { notebook_id, cell_id } };
      return [
        { cellId, forkOf: from, events: [event('copy', source(cellId), data)] }
      ];
    }
    case 'new': {
      const why = trigger === 'paste' ? 'paste' : 'first';
      const edit = event('edit', source(happened.id), { trigger: why });
      return [{ cellId: happened.id, events: [edit] }];
    }
    case 'edit': {
      const edit = event('edit', source(happened.id), { trigger });
      return [{ cellId: happened.id, events: [edit] }];
    }
    case 'delete':
    case 'undelete': {
      const { kind, id: cellId, index, after } = happened;
      const told = event(kind, source(cellId), { index, after });
      return [{ cellId, events: [told] }];
    }
    case 'type': {
      const { id: cellId, from, to } = happened;
      const told = event('type', source(cellId), { from, to });
      return [{ cellId, events: [told] }];
    }
    case 'move': {
      const { id: cellId, from, to } = happened;
      return [{ cellId, events: [event('move', undefined, { from, to })] }];
    }
  }
}
