/** Find the last content and position of cells that were deleted from a notebook. */
import type { Moment, NotebookSnapshot, Step } from '../../../api/types';

/** Access to a notebook's timeline. */
export interface INotebookPast {
  readonly moments: readonly Moment[];
  /** The snapshot on show; null if the current notebook is shown. */
  readonly shown: NotebookSnapshot | null;
  /** Load the snapshot after a moment. */
  load(index: number): Promise<NotebookSnapshot>;
  /** Load the steps of a cell. */
  steps(cellId: string): Promise<readonly Step[]>;
  /** The type of a cell, if it is recorded. */
  typeOf(cellId: string): string | undefined;
}

interface ICellContent {
  readonly type: string;
  readonly source: string;
}

/** The content of a cell: in the snapshot on show, else in the last one, else in its last step. */
export async function readContent(
  past: INotebookPast,
  cellId: string
): Promise<ICellContent | null> {
  const { length } = past.moments;
  const content =
    findCell(past.shown, cellId) ??
    (length ? findCell(await past.load(length - 1), cellId) : null);
  if (content) {
    return content;
  }
  const step = (await past.steps(cellId)).at(-1);
  const type = past.typeOf(cellId) ?? 'code';
  return step ? { type, source: step.applied ? step.code : step.before } : null;
}

/**
 * The ids of the cells above a cell in the last snapshot that contains it, the nearest first; null
 * if no snapshot contains it.
 */
export async function cellsAbove(
  past: INotebookPast,
  cellId: string
): Promise<string[] | null> {
  const { moments, shown } = past;
  const contains = (snapshot: NotebookSnapshot | null) =>
    snapshot?.cells.some(cell => cell.cellId === cellId) ?? false;
  let index = moments.length - 1;
  let snapshot = contains(shown)
    ? shown
    : index >= 0
      ? await past.load(index)
      : null;
  while (snapshot && !contains(snapshot)) {
    // It was deleted by the last moment that mentions it, or by a later change of the order.
    while (index >= 0 && !mentions(moments[index], cellId)) {
      index--;
    }
    index--;
    snapshot = index >= 0 ? await past.load(index) : null;
  }
  const order = snapshot?.cells.map(cell => cell.cellId);
  return order?.slice(0, order.indexOf(cellId)).reverse() ?? null;
}

function findCell(
  snapshot: NotebookSnapshot | null,
  cellId: string
): ICellContent | null {
  const cells = snapshot ? [...snapshot.cells, ...snapshot.gone] : [];
  return cells.find(cell => cell.cellId === cellId) ?? null;
}

function mentions(moment: Moment, cellId: string): boolean {
  return (
    moment.cellId === cellId ||
    (moment.also?.some(step => step.cellId === cellId) ?? false)
  );
}
