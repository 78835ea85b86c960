/** Cells that are no longer in a notebook: what they held last, and where they stood. */
import type { Moment, NotebookSnapshot, Step } from '../../../api/types';

/** What is known of a notebook's past. */
export interface IPast {
  readonly moments: readonly Moment[];
  /** The notebook as it is on show, if it is shown as it was. */
  readonly shown: NotebookSnapshot | null;
  /** The notebook after a moment. */
  at(index: number): Promise<NotebookSnapshot>;
  /** How a cell came to be. */
  steps(cellId: string): Promise<readonly Step[]>;
  /** What kind of cell it is, as far as is known. */
  typeOf(cellId: string): string | undefined;
}

interface IHeld {
  readonly type: string;
  readonly source: string;
}

/** What a cell held: as it is on show, else last, however the past knows it. */
export async function held(past: IPast, cellId: string): Promise<IHeld | null> {
  const { length } = past.moments;
  const found =
    find(past.shown, cellId) ??
    (length ? find(await past.at(length - 1), cellId) : null);
  if (found) {
    return found;
  }
  const step = (await past.steps(cellId)).at(-1);
  const type = past.typeOf(cellId) ?? 'code';
  return step ? { type, source: step.applied ? step.code : step.before } : null;
}

/**
 * The cells that stood in front of a cell when it was last there, the nearest first; null if no
 * moment knows.
 */
export async function before(
  past: IPast,
  cellId: string
): Promise<string[] | null> {
  const { moments, shown } = past;
  const isIn = (then: NotebookSnapshot | null) =>
    then?.cells.some(cell => cell.cellId === cellId) ?? false;
  let at = moments.length - 1;
  let then = isIn(shown) ? shown : at >= 0 ? await past.at(at) : null;
  while (then && !isIn(then)) {
    // It went with the last moment that speaks of it, or with a change of the order after.
    while (at >= 0 && !speaksOf(moments[at], cellId)) {
      at--;
    }
    at--;
    then = at >= 0 ? await past.at(at) : null;
  }
  const order = then?.cells.map(cell => cell.cellId);
  return order?.slice(0, order.indexOf(cellId)).reverse() ?? null;
}

function find(then: NotebookSnapshot | null, cellId: string): IHeld | null {
  const cells = then ? [...then.cells, ...then.gone] : [];
  return cells.find(cell => cell.cellId === cellId) ?? null;
}

function speaksOf(moment: Moment, cellId: string): boolean {
  return (
    moment.cellId === cellId ||
    (moment.also?.some(step => step.cellId === cellId) ?? false)
  );
}
