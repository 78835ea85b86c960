/** Creates the events, with their contributors, for changes that aren't recorded yet. */
import type { CellChange } from '../../../api/types';
import {
  IWriter,
  FILE_ON_DISK,
  UNKNOWN,
  createWriter
} from '../../../records/contributor';
import { setContributor } from '../contributors/setContributor';
import type { CellOperation, ICellState } from '../lineage';
import { CellEvents, Trigger, createEvent, eventsOf } from './events';
import type { ICellListChange } from './mirror';
import type { RecordedState } from './recordedState';

/** The source of a cell, and the writer of its latest change. */
export type CellWrite = readonly [
  id: string,
  source: string | null,
  writer: IWriter
];

/** The writer of the source that a cell without a session has when tracking begins. */
export const INITIAL_WRITER = createWriter(UNKNOWN);

/** The writer of a source that differs from the last recorded one when tracking begins. */
export const CHANGED_OUTSIDE = createWriter({ ...UNKNOWN, name: FILE_ON_DISK });

export interface IEdits {
  readonly cells: CellChange[];
  /** Promises that resolve when the contributors of the edits are known. */
  readonly pending: readonly Promise<void>[];
}

/** Create `edit` events for the sources that aren't recorded yet, and update `recorded`. */
export function createEdits(
  recorded: RecordedState,
  writes: readonly CellWrite[],
  trigger: Trigger
): IEdits {
  const cells: CellChange[] = [];
  const pending: Promise<void>[] = [];
  for (const [cellId, source, writer] of writes) {
    // Without a contributor, another page records the write.
    const isRecordedHere = writer.contributor !== null;
    if (
      isRecordedHere &&
      source !== null &&
      recorded.isNewSource(cellId, source)
    ) {
      const edit = createEvent('edit', source, { trigger });
      pending.push(...setContributor(edit, writer));
      recorded.add(cellId, [edit]);
      recorded.lastSource.set(cellId, source); // `add` has no source if it is too large.
      cells.push({ cellId, events: [edit] });
    }
  }
  return { cells, pending };
}

/**
 * Create the events of a change of the cell list, with its writer as contributor, and update
 * `recorded`.
 */
export function createListChangeEvents(
  recorded: RecordedState,
  operations: readonly CellOperation[],
  listChange: Pick<ICellListChange, 'before' | 'after' | 'writer'>,
  { notebookId, trigger }: { notebookId: string; trigger: Trigger }
): IEdits {
  const cells = new Map<string, CellEvents>();
  const pending: Promise<void>[] = [];
  const states = new Map(
    [...listChange.before, ...listChange.after].map(cell => [cell.id, cell])
  );
  for (const change of operations.flatMap(operation =>
    eventsOf(operation, notebookId, states, trigger)
  )) {
    if (!shouldRecord(recorded, change, notebookId, states)) {
      continue;
    }
    const { cellId } = change;
    change.events.forEach(event =>
      pending.push(...setContributor(event, listChange.writer))
    );
    recorded.add(cellId, change.events);
    const existing = cells.get(cellId);
    if (existing) {
      existing.events.push(...change.events);
    } else {
      cells.set(cellId, change);
    }
  }
  return { cells: [...cells.values()], pending };
}

/**
 * Return whether an event of a watched cell says anything new. Marks a cell that was created from
 * one with a turn as having a turn.
 */
function shouldRecord(
  recorded: RecordedState,
  { cellId, forkOf, parents, events: [event] }: CellEvents,
  notebookId: string,
  states: ReadonlyMap<string, ICellState>
): boolean {
  const isSameNotebook = forkOf?.notebookId === notebookId;
  const origins = isSameNotebook ? [forkOf.cellId] : (parents ?? []);
  if (origins.some(id => recorded.withTurn.has(id))) {
    recorded.withTurn.add(cellId);
  }
  if (event.type === 'edit') {
    return recorded.isNewSource(cellId, event.source ?? '');
  }
  const hasHistory =
    recorded.withSession.has(cellId) || !!forkOf || !!parents?.length;
  const isBlank = !hasHistory && !states.get(cellId)?.source;
  return recorded.isWatched(cellId) && !isBlank;
}
