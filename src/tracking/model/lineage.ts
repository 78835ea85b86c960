/**
 * Detects the operations on a notebook's cells in one step: pure, from the cells before and after.
 *
 * JupyterLab has no signals for splits and merges, so they are inferred. A split leaves the id with
 * the last piece; a merge deletes all cells and creates a new id; a move or a change of type
 * deletes a cell and inserts it again with the same id.
 *
 * Invariant: each changed cell is part of one operation. An id that existed before is a restored
 * cell, never a new one.
 */

import { listChanges } from '../../diff/lists';

/** A cell at one moment. */
export interface ICellState {
  readonly id: string;
  readonly type: string;
  readonly source: string;
}

/** A cell of this notebook or of another. */
export interface IOrigin {
  readonly notebookId: string;
  readonly cellId: string;
}

/** The position of a deleted or restored cell. */
interface IPosition {
  readonly index: number;
  /** The nearest cell above that exists before and after the step; null if there is none. */
  readonly after: string | null;
}

export type CellOperation =
  /** `pieces` are in order; the last one is `from` itself. */
  | { kind: 'split'; from: string; pieces: readonly string[] }
  /** `isRestored`: the merge was undone and redone. */
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
  /** The cells that were recreated with the same id in this step. */
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

/** Whether `into` is the merge of these cells. JupyterLab may add empty lines between them. */
function isMerge(cells: readonly ICellState[], into: ICellState): boolean {
  const sources = cells.map(cell => cell.source);
  return ['\n\n', '\n'].some(
    separator => sources.join(separator) === into.source
  );
}

/** The index of the first of the new cells directly above a cell. */
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

/** Whether a source was split into these cells; line breaks at their ends are dropped. */
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

/** The moves among the cells that exist before and after. */
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
  let moved = new Set(newOrder.filter(id => recreated.has(id)));
  const rest = (ids: string[]) => ids.filter(id => !moved.has(id)).join('\n');
  if (moved.size === newOrder.length || rest(oldOrder) !== rest(newOrder)) {
    moved = new Set(
      listChanges(oldOrder, newOrder).flatMap(({ fromB, toB }) =>
        newOrder.slice(fromB, toB)
      )
    );
  }
  return newOrder
    .filter(id => moved.has(id))
    .map(id => ({ kind: 'move', id, from: from.get(id)!, to: to.get(id)! }));
}
