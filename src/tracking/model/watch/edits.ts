/** Create events, with their contributors, of the changes that aren't recorded yet. */
import type { CellChange } from '../../../api/types';
import {
  IWriter,
  FILE_ON_DISK,
  UNKNOWN,
  writerOf
} from '../../../records/contributor';
import { setContributor } from '../contributors/setContributor';
import type { CellOperation, ICellState } from '../lineage';
import { CellEvents, Trigger, createEvent, eventsOf } from './events';
import type { IStep } from './mirror';
import type { WatchRecord } from './record';

/** The source of a cell, and the writer of its latest change. */
export type CellWrite = readonly [
  id: string,
  source: string | null,
  writer: IWriter
];

/** The writer of a cell's source before tracking began. */
export const INITIAL_WRITER = writerOf(UNKNOWN);

/** The writer of a source that differs from the record when tracking begins. */
export const CHANGED_OUTSIDE = writerOf({ ...UNKNOWN, name: FILE_ON_DISK });

export interface IEdits {
  readonly cells: CellChange[];
  /** Resolve when the contributors of all edits are known. */
  readonly pending: readonly Promise<void>[];
}

/** Create edits of the sources that the record lacks, and update the record. */
export function createEdits(
  record: WatchRecord,
  writes: readonly CellWrite[],
  trigger: Trigger
): IEdits {
  const cells: CellChange[] = [];
  const pending: Promise<void>[] = [];
  for (const [cellId, source, writer] of writes) {
    const isRecordedHere = writer.contributor !== null;
    if (
      isRecordedHere &&
      source !== null &&
      record.isNewSource(cellId, source)
    ) {
      const edit = createEvent('edit', source, { trigger });
      pending.push(...setContributor(edit, writer));
      record.add(cellId, [edit]);
      record.lastSource.set(cellId, source); // also if it is too large for the event
      cells.push({ cellId, events: [edit] });
    }
  }
  return { cells, pending };
}

/** Create the events of a step, with its writer as contributor, and update the record. */
export function createStepEvents(
  record: WatchRecord,
  operations: readonly CellOperation[],
  step: Pick<IStep, 'before' | 'after' | 'writer'>,
  { notebookId, trigger }: { notebookId: string; trigger: Trigger }
): IEdits {
  const cells = new Map<string, CellEvents>();
  const pending: Promise<void>[] = [];
  const states = new Map(
    [...step.before, ...step.after].map(cell => [cell.id, cell])
  );
  for (const change of operations.flatMap(operation =>
    eventsOf(operation, notebookId, states, trigger)
  )) {
    if (!shouldRecord(record, change, notebookId, states)) {
      continue;
    }
    const { cellId } = change;
    change.events.forEach(event =>
      pending.push(...setContributor(event, step.writer))
    );
    record.add(cellId, change.events);
    const existing = cells.get(cellId);
    if (existing) {
      existing.events.push(...change.events);
    } else {
      cells.set(cellId, change);
    }
  }
  return { cells: [...cells.values()], pending };
}

function shouldRecord(
  record: WatchRecord,
  { cellId, forkOf, parents, events: [event] }: CellEvents,
  notebookId: string,
  states: ReadonlyMap<string, ICellState>
): boolean {
  const isSameNotebook = forkOf?.notebookId === notebookId;
  const origins = isSameNotebook ? [forkOf.cellId] : (parents ?? []);
  if (origins.some(id => record.withTurn.has(id))) {
    record.withTurn.add(cellId);
  }
  if (event.type === 'edit') {
    return record.isNewSource(cellId, event.source ?? '');
  }
  const hasHistory =
    record.withSession.has(cellId) || !!forkOf || !!parents?.length;
  const isBlank = !hasHistory && !states.get(cellId)?.source;
  return record.watches(cellId) && !isBlank;
}
