/**
 * Detects which operations changed the list of a notebook's cells, by comparing the cells before
 * and after. Pure.
 *
 * JupyterLab has no signals for splits and merges, so they are inferred. In a split, the last piece
 * keeps the cell's id. A merge deletes all merged cells and creates a cell with a new id. A move or
 * a change of type deletes a cell and inserts it again with the same id.
 *
 * Invariants: each changed cell belongs to one operation, apart from its move. An inserted cell
 * with an id that existed before is a restored cell, never a new one.
 */

import { listChanges } from '../../diff/lists';

/** The state of a cell at some time. */
export interface ICellState {
  readonly id: string;
  readonly type: string;
  readonly source: string;
}

/** The cell that another cell is a copy of; it may be in another notebook. */
export interface IOrigin {
  readonly notebookId: string;
  readonly cellId: string;
}

/** The position of a deleted or restored cell. */
interface IPosition {
  readonly index: number;
  /** The nearest cell above that exists before and after the change; null if there is none. */
  readonly after: string | null;
}

export type CellOperation =
  /** `pieces` are the ids of the resulting cells, in order; the last one is `from` itself. */
  | { kind: 'split'; from: string; pieces: readonly string[] }
  /** `isRestored`: the merge had been undone and is done again (redo). */
  | {
      kind: 'merge';
      into: string;
      parents: readonly string[];
      isRestored: boolean;
    }
  | { kind: 'copy'; id: string; from: IOrigin }
  | { kind: 'new'; id: string }
  | ({ kind: 'delete' | 'undelete'; id: string } & IPosition)
  | { kind: 'type'; id: string; from: string; to: string }
  | { kind: 'move'; id: string; from: number; to: number }
  | { kind: 'edit'; id: string };

export interface IDetectionHints {
  /** Whether a cell with this id was in the notebook before. */
  existedBefore(id: string): boolean;
  /** The origin of a cell with a new id; null if it is unknown. */
  originOf(cell: ICellState, index: number): IOrigin | null;
  /** The ids of the cells that this change deleted and inserted again. */
  readonly recreated: ReadonlySet<string>;
}

export function detectOperations(
  before: readonly ICellState[],
  after: readonly ICellState[],
  hints: IDetectionHints
): CellOperation[] {
  const oldCells = new Map(before.map(cell => [cell.id, cell]));
  const newCells = new Map(after.map(cell => [cell.id, cell]));
  const removed = before.filter(cell => !newCells.has(cell.id));
  const added = after.filter(cell => !oldCells.has(cell.id));
  const operations: CellOperation[] = [];
  const handled = new Set<string>();
  const add = (operation: CellOperation, ids: readonly string[]) => {
    operations.push(operation);
    ids.forEach(id => handled.add(id));
  };

  if (removed.length > 1 && added.length === 1 && isMerge(removed, added[0])) {
    const parents = removed.map(cell => cell.id);
    const into = added[0].id;
    const isRestored = hints.existedBefore(into);
    add({ kind: 'merge', into, parents, isRestored }, [into, ...parents]);
  }
  after.forEach((cell, index) => {
    const old = oldCells.get(cell.id);
    if (old && old.source !== cell.source) {
      const first = firstPiece(after, index, id => isNew(id));
      const pieces = after.slice(first, index + 1);
      if (first < index && isSplit(old.source, pieces)) {
        const ids = pieces.map(piece => piece.id);
        add({ kind: 'split', from: cell.id, pieces: ids }, ids);
      }
    }
  });
  before.forEach(({ id }, index) => {
    if (!newCells.has(id) && !handled.has(id)) {
      add({ kind: 'delete', id, ...placeOf(before, index, newCells) }, [id]);
    }
  });
  after.forEach((cell, index) => {
    const { id } = cell;
    const old = oldCells.get(id);
    if (old) {
      if (old.type !== cell.type) {
        add({ kind: 'type', id, from: old.type, to: cell.type }, [id]);
      } else if (old.source !== cell.source && !handled.has(id)) {
        add({ kind: 'edit', id }, [id]);
      }
    } else if (!handled.has(id)) {
      const from = isNew(id) ? hints.originOf(cell, index) : null;
      if (from) {
        add({ kind: 'copy', id, from }, [id]);
      } else if (isNew(id)) {
        add({ kind: 'new', id }, [id]);
      } else {
        add({ kind: 'undelete', id, ...placeOf(after, index, oldCells) }, [id]);
      }
    }
  });
  return [...operations, ...moves(before, after, hints.recreated)];

  function isNew(id: string): boolean {
    return !oldCells.has(id) && !hints.existedBefore(id);
  }
}

function placeOf(
  cells: readonly ICellState[],
  index: number,
  others: ReadonlyMap<string, ICellState>
): IPosition {
  const above = cells.slice(0, index).reverse();
  return { index, after: above.find(({ id }) => others.has(id))?.id ?? null };
}

/** Whether `into` contains these cells' sources. JupyterLab may put an empty line between them. */
function isMerge(cells: readonly ICellState[], into: ICellState): boolean {
  const sources = cells.map(cell => cell.source);
  return ['\n\n', '\n'].some(
    separator => sources.join(separator) === into.source
  );
}

/**
 * The index of the topmost of the new cells directly above a cell that may be pieces of it; the
 * cell's own index if there are none.
 */
function firstPiece(
  cells: readonly ICellState[],
  index: number,
  isNew: (id: string) => boolean
): number {
  let first = index;
  while (
    first > 0 &&
    isNew(cells[first - 1].id) &&
    cells[first - 1].type === cells[index].type
  ) {
    first--;
  }
  return first;
}

/** Whether a source was split into these cells. A split drops the line breaks between pieces. */
function isSplit(source: string, pieces: readonly ICellState[]): boolean {
  let offset = 0;
  for (const piece of pieces) {
    while (source[offset] === '\n') {
      offset++;
    }
    if (!source.startsWith(piece.source, offset)) {
      return false;
    }
    offset += piece.source.length;
  }
  return /^\n*$/.test(source.slice(offset));
}

/** The moves of cells that exist before and after the change. */
function moves(
  before: readonly ICellState[],
  after: readonly ICellState[],
  recreated: ReadonlySet<string>
): CellOperation[] {
  const from = new Map(before.map((cell, index) => [cell.id, index]));
  const to = new Map(after.map((cell, index) => [cell.id, index]));
  const oldOrder = before.filter(cell => to.has(cell.id)).map(cell => cell.id);
  const newOrder = after.filter(cell => from.has(cell.id)).map(cell => cell.id);
  if (oldOrder.every((id, index) => id === newOrder[index])) {
    return [];
  }
  // A moved cell is usually a recreated one. If the recreated cells don't account for the new
  // order, compare the orders.
  let movedIds = new Set(newOrder.filter(id => recreated.has(id)));
  const unmoved = (ids: string[]) =>
    ids.filter(id => !movedIds.has(id)).join('\n');
  if (
    movedIds.size === newOrder.length ||
    unmoved(oldOrder) !== unmoved(newOrder)
  ) {
    movedIds = new Set(
      listChanges(oldOrder, newOrder).flatMap(({ fromB, toB }) =>
        newOrder.slice(fromB, toB)
      )
    );
  }
  return newOrder
    .filter(id => movedIds.has(id))
    .map(id => ({ kind: 'move', id, from: from.get(id)!, to: to.get(id)! }));
}
