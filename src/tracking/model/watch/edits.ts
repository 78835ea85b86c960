/** Makes signed events of the changes that the record lacks. */
import type { CellChange } from '../../../api/types';
import {
  IWriter,
  FILE_ON_DISK,
  UNKNOWN,
  writerOf
} from '../../../records/contributor';
import { sign } from '../contributors/signature';
import type { Happening, ICellState } from '../lineage';
import { Told, Trigger, event, toldBy } from './events';
import type { IStep } from './mirror';
import type { WatchRecord } from './record';

/** The source of a cell, and the writer of its latest change. */
export type Written = readonly [
  id: string,
  source: string | null,
  writer: IWriter
];

/** The writer of what a cell held when it was first looked at. */
export const FOUND = writerOf(UNKNOWN);

/** The same, of a cell whose record says something else. */
export const CHANGED_OUTSIDE = writerOf({ ...UNKNOWN, name: FILE_ON_DISK });

export interface IEdits {
  readonly cells: CellChange[];
  /** Resolve when the contributors of all edits are known. */
  readonly settled: readonly Promise<void>[];
}

export function editsOf(
  record: WatchRecord,
  written: readonly Written[],
  trigger: Trigger
): IEdits {
  const cells: CellChange[] = [];
  const settled: Promise<void>[] = [];
  for (const [cellId, source, writer] of written) {
    const isOurs = writer.contributor !== null;
    if (isOurs && source !== null && record.isNews(cellId, source)) {
      const edit = event('edit', source, { trigger });
      settled.push(...sign(edit, writer));
      record.take(cellId, [edit]);
      record.note(cellId, source); // also where it is too large for the event
      cells.push({ cellId, events: [edit] });
    }
  }
  return { cells, settled };
}

/** Make events of what a step did to cells, signed by its writer. */
export function stepEditsOf(
  record: WatchRecord,
  found: readonly Happening[],
  step: Pick<IStep, 'before' | 'after' | 'writer'>,
  { notebookId, trigger }: { notebookId: string; trigger: Trigger }
): IEdits {
  const cells = new Map<string, Told>();
  const settled: Promise<void>[] = [];
  const states = new Map(
    [...step.before, ...step.after].map(cell => [cell.id, cell])
  );
  for (const told of found.flatMap(one =>
    toldBy(one, notebookId, states, trigger)
  )) {
    if (!isWorthTelling(record, told, notebookId, states)) {
      continue;
    }
    const { cellId } = told;
    told.events.forEach(one => settled.push(...sign(one, step.writer)));
    record.take(cellId, told.events);
    const known = cells.get(cellId);
    if (known) {
      known.events.push(...told.events);
    } else {
      cells.set(cellId, told);
    }
  }
  return { cells: [...cells.values()], settled };
}

function isWorthTelling(
  record: WatchRecord,
  { cellId, forkOf, parents, events: [told] }: Told,
  notebookId: string,
  states: ReadonlyMap<string, ICellState>
): boolean {
  const isOurs = forkOf?.notebookId === notebookId;
  const from = isOurs ? [forkOf.cellId] : (parents ?? []);
  if (from.some(id => record.isAsked(id))) {
    record.ask(cellId);
  }
  if (told.type === 'edit') {
    return record.isNews(cellId, told.source ?? '');
  }
  const isKept = record.isKept(cellId) || !!forkOf || !!parents?.length;
  const isBlank = !isKept && !states.get(cellId)?.source;
  return record.watches(cellId) && !isBlank;
}
