/**
 * The relatives of a merge step: the cells that were merged, or the cell into which they were
 * merged.
 */
import type { Step } from '../../../api/types';
import type { IHistory } from '../../../tokens';
import type { IReplaySubject } from '../activeCell';
import { firstLineOf, ICellInfo } from '../subject';

export interface IRelative {
  readonly cellId: string;
  /** The description of the cell; null if the cell is no longer in the notebook. */
  readonly cell: ICellInfo | null;
  /** The first line of the cell's source; for a deleted cell, of its last source. */
  readonly firstLine: string;
}

/**
 * Return the ids of a merge step's relatives, without invalid ones: another program may have
 * written them.
 */
export function relativesOf(step: Step): string[] {
  if (step.kind !== 'merge') {
    return [];
  }
  const { into, parents } = step.data ?? {};
  const ids: unknown[] = Array.isArray(parents) ? parents : [into];
  return ids.filter((id): id is string => typeof id === 'string' && id !== '');
}

/** Return the relatives with these ids. The last sources of deleted cells come from the server. */
export async function describeCells(
  { subject, history }: { subject: IReplaySubject; history: IHistory },
  ids: readonly string[]
): Promise<IRelative[]> {
  const cellById = new Map(subject.cells().map(cell => [cell.id, cell]));
  const { notebookId } = subject;
  const hasDeletedCell = ids.some(id => !cellById.has(id));
  const summaries =
    hasDeletedCell && notebookId !== null
      ? await history.api.sessions(notebookId).catch(() => [])
      : [];
  return ids.map(cellId => {
    const cell = cellById.get(cellId) ?? null;
    const summary = summaries.find(({ cellId: id }) => id === cellId);
    const firstLine = cell?.firstLine ?? firstLineOf(summary?.lastSource ?? '');
    return { cellId, cell, firstLine };
  });
}
