/** The cells that a merge step refers to: the merged cells, or the one they were merged into. */
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

/** The ids in a merge's data, which may come from another program. */
export function relativesOf(step: Step): string[] {
  if (step.kind !== 'merge') {
    return [];
  }
  const { into, parents } = step.data ?? {};
  const ids: unknown[] = Array.isArray(parents) ? parents : [into];
  return ids.filter((id): id is string => typeof id === 'string' && id !== '');
}

/** Describe cells by their first line; deleted ones by their last recorded source. */
export async function describeCells(
  { subject, history }: { subject: IReplaySubject; history: IHistory },
  ids: readonly string[]
): Promise<IRelative[]> {
  const present = new Map(subject.cells().map(cell => [cell.id, cell]));
  const { notebookId } = subject;
  const hasMissing = ids.some(id => !present.has(id));
  const summaries =
    hasMissing && notebookId !== null
      ? await history.api.sessions(notebookId).catch(() => [])
      : [];
  return ids.map(cellId => {
    const cell = present.get(cellId) ?? null;
    const source = summaries.find(row => row.cellId === cellId)?.lastSource;
    const firstLine = cell?.firstLine ?? firstLineOf(source ?? '');
    return { cellId, cell, firstLine };
  });
}
