/**
 * The relatives of a merge step: the cells that were merged into the step's cell, or the cell that
 * the step's cell was merged into.
 */
import type { Step } from '../../../api/types';
import type { IHistory } from '../../../tokens';
import type { IReplaySubject } from '../activeCell';
import { firstLineOf, ICellInfo } from '../subject';

export interface IRelative {
  readonly cellId: string;
  /** Null if the cell is no longer in the notebook. */
  readonly cell: ICellInfo | null;
  /** The first line that is not blank. */
  readonly firstLine: string;
}

/** Return the ids of a merge step's relatives. Its data isn't trusted: it may be imported. */
export function relativesOf(step: Step): string[] {
  if (step.kind !== 'merge') {
    return [];
  }
  const { into, parents } = step.data ?? {};
  const ids: unknown[] = Array.isArray(parents) ? parents : [into];
  return ids.filter((id): id is string => typeof id === 'string' && id !== '');
}

/** Describe each cell by the first line of its source, or of its last recorded source if deleted. */
export async function describeCells(
  { subject, history }: { subject: IReplaySubject; history: IHistory },
  ids: readonly string[]
): Promise<IRelative[]> {
  const cellById = new Map(subject.cells().map(cell => [cell.id, cell]));
  const { notebookId } = subject;
  const hasMissing = ids.some(id => !cellById.has(id));
  const summaries =
    hasMissing && notebookId !== null
      ? await history.api.sessions(notebookId).catch(() => [])
      : [];
  return ids.map(cellId => {
    const cell = cellById.get(cellId) ?? null;
    const summary = summaries.find(candidate => candidate.cellId === cellId);
    const firstLine = cell?.firstLine ?? firstLineOf(summary?.lastSource ?? '');
    return { cellId, cell, firstLine };
  });
}
