/** The cells that a step names: those that were merged, or the one that they were merged into. */
import type { Step } from '../../../api/types';
import type { IHistory } from '../../../tokens';
import type { ICellInfo, IReplaySubject } from '../subject';

export interface IRelative {
  readonly cellId: string;
  /** Null where the cell is no longer in the notebook. */
  readonly cell: ICellInfo | null;
  /** The first line that is not blank. */
  readonly firstLine: string;
}

/** The ids of the cells that a merge names; the data may come from another program. */
export function relativesOf(step: Step): string[] {
  if (step.kind !== 'merge') {
    return [];
  }
  const { into, parents } = step.data ?? {};
  const ids: unknown[] = Array.isArray(parents) ? parents : [into];
  return ids.filter((id): id is string => typeof id === 'string' && id !== '');
}

/** Describe cells; deleted ones by their last source, as far as the server knows it. */
export async function describeCells(
  { subject, history }: { subject: IReplaySubject; history: IHistory },
  ids: readonly string[]
): Promise<IRelative[]> {
  const here = new Map(subject.cells().map(cell => [cell.id, cell]));
  const { notebookId } = subject;
  const isMissing = ids.some(id => !here.has(id));
  const summaries =
    isMissing && notebookId !== null
      ? await history.summaries(notebookId).catch(() => [])
      : [];
  return ids.map(cellId => {
    const cell = here.get(cellId) ?? null;
    const source = summaries.find(row => row.cellId === cellId)?.lastSource;
    const lines = (source ?? '').split('\n').map(line => line.trim());
    const firstLine = cell?.firstLine ?? lines.find(line => line) ?? '';
    return { cellId, cell, firstLine };
  });
}
