/**
 * Detects the operations, such as a split or a paste, that changed the list of a notebook's cells.
 * This module compares the cells before and after the change. All its functions are pure.
 *
 * JupyterLab has no signals for splits and merges. They are inferred from these facts:
 * - In a split, the last piece keeps the cell's id. The other pieces are new cells above it.
 * - A merge deletes all merged cells and creates a cell with a new id.
 * - Moving a cell or changing its type deletes the cell and inserts it again with the same id.
 *
 * Invariants:
 * - Each changed cell belongs to one operation. If the cell also moved, or was split and changed its
 *   type, it has a second operation.
 * - An inserted cell counts as restored, not as new, if its id was in the notebook before.
 */

import { listChanges } from '../../diff/lists';

export interface ICellState {
  readonly id: string;
  readonly type: string;
  readonly source: string;
}

/** The cell from which another cell was copied. The two cells may be in different notebooks. */
export interface IOrigin {
  readonly notebookId: string;
  readonly cellId: string;
}

/** The position of a cell before it was deleted, or after it was restored. */
interface IPosition {
  readonly index: number;
  /**
   * The id of the nearest cell above this cell that exists both before and after the change; null
   * if there is no such cell.
   */
  readonly after: string | null;
}

export type CellOperation =
  /** The cell `from` was split. `pieces` are the ids of all pieces in order, with `from` last. */
  | { kind: 'split'; from: string; pieces: readonly string[] }
  /**
   * The cells `parents` were merged into the new cell `into`. If `isRestored` is true, this merge
   * redoes an earlier merge that was undone.
   */
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
  /** The cell moved from the index `from` to the index `to`. */
  | { kind: 'move'; id: string; from: number; to: number }
  | { kind: 'edit'; id: string };

/** Facts that can't be found by comparing the two lists of cells. */
export interface IDetectionHints {
  /** Return whether a cell with this id was in the notebook at any time before the change. */
  existedBefore(id: string): boolean;
  /** Return the origin of a cell that is new in the notebook; null if the origin is unknown. */
  originOf(cell: ICellState, index: number): IOrigin | null;
  /** The ids of the cells that this change deleted and inserted again. */
  readonly recreated: ReadonlySet<string>;
  /** Whether nothing was split or merged. */
  readonly hasNoSplits?: boolean;
}

/** Return the operations that turned the list of cells `before` into the list `after`. */
export function detectOperations(
  before: readonly ICellState[],
  after: readonly ICellState[],
  hints: IDetectionHints
): CellOperation[] {
  const beforeById = new Map(before.map(cell => [cell.id, cell]));
  const afterById = new Map(after.map(cell => [cell.id, cell]));
  const removedCells = before.filter(cell => !afterById.has(cell.id));
  const addedCells = after.filter(cell => !beforeById.has(cell.id));
  const operations: CellOperation[] = [];
  const handledIds = new Set<string>();
  /** Add an operation. `ids` are the changed cells that belong to it. */
  const add = (operation: CellOperation, ids: readonly string[]) => {
    operations.push(operation);
    ids.forEach(id => handledIds.add(id));
  };

  if (
    !hints.hasNoSplits &&
    removedCells.length > 1 &&
    addedCells.length === 1 &&
    isMerge(removedCells, addedCells[0])
  ) {
    const parents = removedCells.map(cell => cell.id);
    const into = addedCells[0].id;
    const isRestored = hints.existedBefore(into);
    add({ kind: 'merge', into, parents, isRestored }, [into, ...parents]);
  }
  after.forEach((cell, index) => {
    const old = beforeById.get(cell.id);
    if (!hints.hasNoSplits && old && old.source !== cell.source) {
      const firstIndex = findFirstPiece(after, index, id => isNew(id));
      const pieces = after.slice(firstIndex, index + 1);
      if (firstIndex < index && isSplit(old.source, pieces)) {
        const ids = pieces.map(piece => piece.id);
        add({ kind: 'split', from: cell.id, pieces: ids }, ids);
      }
    }
  });
  before.forEach(({ id }, index) => {
    if (!afterById.has(id) && !handledIds.has(id)) {
      const position = positionOf(before, index, afterById);
      add({ kind: 'delete', id, ...position }, [id]);
    }
  });
  after.forEach((cell, index) => {
    const { id } = cell;
    const old = beforeById.get(id);
    if (old) {
      if (old.type !== cell.type) {
        add({ kind: 'type', id, from: old.type, to: cell.type }, [id]);
      } else if (old.source !== cell.source && !handledIds.has(id)) {
        add({ kind: 'edit', id }, [id]);
      }
    } else if (!handledIds.has(id)) {
      const from = isNew(id) ? hints.originOf(cell, index) : null;
      if (from) {
        add({ kind: 'copy', id, from }, [id]);
      } else if (isNew(id)) {
        add({ kind: 'new', id }, [id]);
      } else {
        const position = positionOf(after, index, beforeById);
        add({ kind: 'undelete', id, ...position }, [id]);
      }
    }
  });
  return [...operations, ...detectMoves(before, after, hints.recreated)];

  function isNew(id: string): boolean {
    return !beforeById.has(id) && !hints.existedBefore(id);
  }
}

/**
 * Describe the position of the cell at `index` in `cells`, the list before or after the change.
 *
 * @param otherCells The cells of the other list, by id. If `cells` is the list before the change,
 * the other list is the list after the change. Otherwise, it is the list before the change.
 */
function positionOf(
  cells: readonly ICellState[],
  index: number,
  otherCells: ReadonlyMap<string, ICellState>
): IPosition {
  const above = cells.slice(0, index).reverse();
  const anchor = above.find(({ id }) => otherCells.has(id));
  return { index, after: anchor?.id ?? null };
}

/**
 * Return whether the source of `into` consists of the sources of `cells`. JupyterLab joins the
 * sources with a line break or an empty line.
 */
function isMerge(cells: readonly ICellState[], into: ICellState): boolean {
  const sources = cells.map(cell => cell.source);
  return ['\n\n', '\n'].some(
    separator => sources.join(separator) === into.source
  );
}

/**
 * Find the new cells directly above the cell at `index` that may be pieces of this cell. Return the
 * index of the topmost of these cells; `index` if there are none.
 */
function findFirstPiece(
  cells: readonly ICellState[],
  index: number,
  isNew: (id: string) => boolean
): number {
  let firstIndex = index;
  while (
    firstIndex > 0 &&
    isNew(cells[firstIndex - 1].id) &&
    cells[firstIndex - 1].type === cells[index].type
  ) {
    firstIndex--;
  }
  return firstIndex;
}

/**
 * Return whether a source was split into these cells. JupyterLab drops line breaks between pieces.
 */
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

function detectMoves(
  before: readonly ICellState[],
  after: readonly ICellState[],
  recreated: ReadonlySet<string>
): CellOperation[] {
  const indexBefore = new Map(before.map((cell, index) => [cell.id, index]));
  const indexAfter = new Map(after.map((cell, index) => [cell.id, index]));
  const oldOrder = [...indexBefore.keys()].filter(id => indexAfter.has(id));
  const newOrder = [...indexAfter.keys()].filter(id => indexBefore.has(id));
  if (oldOrder.every((id, index) => id === newOrder[index])) {
    return [];
  }
  // JupyterLab moves a cell by deleting it and inserting it again. So first assume that exactly the
  // cells that were inserted again were moved. If the order of the remaining cells has changed too,
  // or if no cells remain, find the moved cells by comparing the orders before and after.
  let movedIds = new Set(newOrder.filter(id => recreated.has(id)));
  const joinUnmoved = (ids: string[]) =>
    ids.filter(id => !movedIds.has(id)).join('\n');
  if (
    movedIds.size === newOrder.length ||
    joinUnmoved(oldOrder) !== joinUnmoved(newOrder)
  ) {
    movedIds = new Set(
      listChanges(oldOrder, newOrder).flatMap(({ fromB, toB }) =>
        newOrder.slice(fromB, toB)
      )
    );
  }
  return newOrder
    .filter(id => movedIds.has(id))
    .map(id => ({
      kind: 'move',
      id,
      from: indexBefore.get(id)!,
      to: indexAfter.get(id)!
    }));
}
