/** Sources of cells that the record lacks, as edits of their sessions. */
import type { CellChange } from '../api/types';
import {
  IWriter,
  ON_DISK,
  UNKNOWN,
  writerOf
} from './contributors/contributor';
import { sign } from './contributors/sign';
import { Trigger, event } from './watchevents';
import type { WatchRecord } from './watchrecord';

/** What a cell held, and the writer of what is new in it. */
export type Written = readonly [
  id: string,
  source: string | null,
  writer: IWriter
];

/** The writer of what a cell held when it was first looked at. */
export const FOUND = writerOf(UNKNOWN);

/** The same, of a cell whose record says something else. */
export const CHANGED_OUTSIDE = writerOf({ ...UNKNOWN, name: ON_DISK });

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
