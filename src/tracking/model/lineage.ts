/**
 * Detects the operations, such as a split or a paste, that changed a notebook's list of cells, by
 * comparing the cells before and after. All functions are pure.
 *
 * JupyterLab has no signals for splits and merges. They are inferred from these facts:
 * - In a split, the last piece keeps the cell's id. The other pieces are new cells above it.
 * - A merge deletes all merged cells and creates a cell with a new id.
 * - Moving a cell or changing its type deletes it and inserts it again with the same id.
 *
 * Invariants:
 * - Each changed cell belongs to one operation. If it also moved, or was split and changed its type,
 *   it has a second one.
 * - An inserted cell counts as restored, not as new, if its id was in the notebook before.
 */

import { listChanges } from '../../diff/lists';

export interface ICellState {
  readonly id: string;
  readonly type: string;
  readonly source: string;
}

/** The cell, maybe in another notebook, from which a cell was copied. */
export interface IOrigin {
  readonly notebookId: string;
  readonly cellId: string;
}

/** A cell's position before it was deleted, or after it was restored. */
interface IPosition {
  readonly index: number;
  /** The nearest cell above that exists both before and after the change, or null. */
  readonly after: string | null;
}

export type CellOperation =
  /** `pieces` are all pieces in order, with `from` last. */
  | { kind: 'split'; from: string; pieces: readonly string[] }
  /** With `isRestored`, this redoes a merge that was undone. */
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

/** Facts that comparing the two lists can't show. */
export interface IDetectionHints {
  /** Return whether a cell with this id was in the notebook at any time before. */
  existedBefore(id: string): boolean;
  /** Return the origin of a new cell; null if it is unknown. */
  originOf(cell: ICellState, index: number): IOrigin | null;
  /** The cells that this change deleted and inserted again. */
  readonly recreated: ReadonlySet<string>;
  readonly hasNoSplits?: boolean;
}

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
  /** `ids` are the changed cells that belong to the operation. */
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

/** @param otherCells The cells of the other list, after or before the change. */
function positionOf(
  cells: readonly ICellState[],
  index: number,
  otherCells: ReadonlyMap<string, ICellState>
): IPosition {
  const above = cells.slice(0, index).reverse();
  const anchor = above.find(({ id }) => otherCells.has(id));
  return { index, after: anchor?.id ?? null };
}

/** JupyterLab joins the sources with a line break or an empty line. */
function isMerge(cells: readonly ICellState[], into: ICellState): boolean {
  const sources = cells.map(cell => cell.source);
  return ['\n\n', '\n'].some(
    separator => sources.join(separator) === into.source
  );
}

/**
 * Return the index of the topmost new cell directly above that may be a piece; `index` if there is
 * none.
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

/** JupyterLab drops line breaks between pieces. */
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
  // A recreated cell was moved, or replaced by a restore. The cells whose order differs count as
  // moved. But if some of them weren't recreated, and the recreated ones alone explain the new
  // order, all recreated ones do.
  const recreatedIds = new Set(newOrder.filter(id => recreated.has(id)));
  const movedInOrder = new Set(
    listChanges(oldOrder, newOrder).flatMap(({ fromB, toB }) =>
      newOrder.slice(fromB, toB)
    )
  );
  const joinOthers = (ids: string[]) =>
    ids.filter(id => !recreatedIds.has(id)).join('\n');
  const isByRecreated =
    [...movedInOrder].some(id => !recreatedIds.has(id)) &&
    joinOthers(oldOrder) === joinOthers(newOrder);
  const movedIds = isByRecreated ? recreatedIds : movedInOrder;
  return newOrder
    .filter(id => movedIds.has(id))
    .map(id => ({
      kind: 'move',
      id,
      from: indexBefore.get(id)!,
      to: indexAfter.get(id)!
    }));
}
