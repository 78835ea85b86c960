/** Creates the events for edits and for changes of the cell list, with their contributors. */
import type { CellChange, EventBody } from '../../../api/types';
import {
  IWriteAuthor,
  IWriter,
  FILE_ON_DISK,
  UNKNOWN,
  createWriter
} from '../../../records/contributor';
import type { CellOperation, ICellState } from '../lineage';
import { CellEvents, Trigger, createEvent, eventsOf } from './events';
import type { ICellListChange } from './mirror';
import type { RecordedState } from './recordedState';

/** The source is null if the cell was deleted. */
export type CellWrite = readonly [
  id: string,
  source: string | null,
  writer: IWriter
];

/** The writer of a source that has no session when tracking begins. */
export const INITIAL_WRITER = createWriter(UNKNOWN);

/** The writer of a source that differs from the last recorded one when tracking begins. */
export const OUTSIDE_WRITER = createWriter({ ...UNKNOWN, name: FILE_ON_DISK });

export interface IEdits {
  readonly cells: CellChange[];
  /** One promise for each event whose contributor isn't known yet; resolves when it has been set. */
  readonly pending: readonly Promise<void>[];
}

/** Create `edit` events for the unrecorded sources, and update `recorded`. */
export function createEdits(
  recorded: RecordedState,
  writes: readonly CellWrite[],
  trigger: Trigger
): IEdits {
  const cells: CellChange[] = [];
  const pending: Promise<void>[] = [];
  for (const [cellId, source, writer] of writes) {
    // Null if another page records the write.
    const isRecordedHere = writer.contributor !== null;
    if (
      isRecordedHere &&
      source !== null &&
      recorded.isNewSource(cellId, source)
    ) {
      const edit = createEvent('edit', source, { trigger });
      pending.push(...setContributor(edit, writer, cellId));
      recorded.addEvents(cellId, [edit]);
      // If the source is too large, the event has none, so `addEvents` doesn't set it.
      recorded.lastSource.set(cellId, source);
      cells.push({ cellId, events: [edit] });
    }
  }
  return { cells, pending };
}

/** Create the events of the operations, by `listChange.writer`, and update `recorded`. */
export function createListChangeEvents(
  recorded: RecordedState,
  operations: readonly CellOperation[],
  listChange: Pick<ICellListChange, 'before' | 'after' | 'writer'>,
  { notebookId, trigger }: { notebookId: string; trigger: Trigger }
): IEdits {
  const cells = new Map<string, CellEvents>();
  const pending: Promise<void>[] = [];
  const stateById = new Map(
    [...listChange.before, ...listChange.after].map(cell => [cell.id, cell])
  );
  for (const cellEvents of operations.flatMap(operation =>
    eventsOf(operation, notebookId, stateById, trigger)
  )) {
    inheritTurn(recorded, cellEvents, notebookId);
    const { writer } = listChange;
    if (!writer.author && !shouldRecord(recorded, cellEvents, stateById)) {
      continue;
    }
    const { cellId, events } = cellEvents;
    events.forEach(event =>
      pending.push(...setContributor(event, writer, cellId))
    );
    recorded.addEvents(cellId, events);
    const previous = cells.get(cellId);
    if (previous) {
      previous.events.push(...events);
    } else {
      cells.set(cellId, cellEvents);
    }
  }
  return { cells: [...cells.values()], pending };
}

/**
 * Set an event's contributor to that of `writer`, or as soon as it has been detected.
 *
 * @returns A promise that resolves when it is set; none if it was set without delay, or the writer
 * has none.
 */
function setContributor(
  event: EventBody,
  writer: IWriter,
  cellId: string
): Promise<void>[] {
  if (writer.pending) {
    const set = () => void setContributor(event, writer, cellId);
    return [writer.pending.then(set)];
  }
  if (writer.author) {
    setAuthor(event, writer.author, cellId);
    return [];
  }
  const { contributor, command, hasCause = true } = writer;
  // An edit without a found cause was made by a program. But another such event may be the person's,
  // such as dragging a cell, so it gets no contributor.
  if (contributor && (event.type === 'edit' || hasCause)) {
    event.contributor = { ...contributor };
    if (command && contributor.kind !== 'person') {
      event.data = { ...event.data, command };
    }
  }
  return [];
}

export function setAuthor(
  event: EventBody,
  { contributor, run, data, cellData }: IWriteAuthor,
  cellId: string
): void {
  // The trigger says why an edit is recorded now, the author's data why it was made.
  const own = { ...event.data };
  delete own.trigger;
  event.contributor = { ...contributor };
  event.data = { ...own, ...data, ...cellData?.get(cellId) };
  if (run) {
    event.run = run;
  }
}

/** A cell created from a cell of this notebook with a turn is treated as having one. */
function inheritTurn(
  recorded: RecordedState,
  { cellId, forkOf, parents }: CellEvents,
  notebookId: string
): void {
  const isSameNotebook = forkOf?.notebookId === notebookId;
  const origins = isSameNotebook ? [forkOf.cellId] : (parents ?? []);
  if (origins.some(id => recorded.withTurn.has(id))) {
    recorded.withTurn.add(cellId);
  }
}

/**
 * Nothing is recorded for a cell that isn't watched, for an edit whose source is already recorded,
 * or for an empty cell without a history.
 */
function shouldRecord(
  recorded: RecordedState,
  { cellId, forkOf, parents, events: [event] }: CellEvents,
  stateById: ReadonlyMap<string, ICellState>
): boolean {
  if (event.type === 'edit') {
    return recorded.isNewSource(cellId, event.source ?? '');
  }
  const hasHistory =
    recorded.withSession.has(cellId) || !!forkOf || !!parents?.length;
  const isBlank = !hasHistory && !stateById.get(cellId)?.source;
  return recorded.isWatched(cellId) && !isBlank;
}
