/**
 * What became of a notebook's cells in one step: pure, from the cells before and after it.
 *
 * No signal of JupyterLab says "split" or "merged"; what is left behind tells it. A split leaves
 * the id with the last piece; a merge deletes all and makes a new id; a move and a change of the
 * type delete a cell and insert it again with the same id.
 *
 * What must hold: each cell that came, went or changed is named once; an id that was there before
 * is the same cell come back, never a new one.
 */

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

/** The place of a cell that was deleted or came back. */
interface IPlace {
  readonly index: number;
  /** The nearest cell above it that was there before and after; null if none was. */
  readonly after: string | null;
}

export type Happening =
  /** `pieces`: in their order; the last of them is `from` itself. */
  | { kind: 'split'; from: string; pieces: readonly string[] }
  /** `isBack`: the merge was undone, and done again. */
  | { kind: 'merge'; into: string; parents: readonly string[]; isBack: boolean }
  | { kind: 'copy'; id: string; from: IOrigin }
  | { kind: 'new'; id: string }
  | ({ kind: 'delete' | 'undelete'; id: string } & IPlace)
  | { kind: 'type'; id: string; from: string; to: string }
  | { kind: 'move'; id: string; from: number; to: number }
  | { kind: 'edit'; id: string };

export interface IHints {
  /** Whether a cell of this id was in the notebook at some time before. */
  wasThere(id: string): boolean;
  /** Where a cell with a new id was copied from; null if from nowhere that is known. */
  originOf(cell: ICellState, index: number): IOrigin | null;
  /** The cells that were made anew, under their ids, in this step. */
  readonly remade: ReadonlySet<string>;
}

export function happenings(
  before: readonly ICellState[],
  after: readonly ICellState[],
  hints: IHints
): Happening[] {
  const was = new Map(before.map(cell => [cell.id, cell]));
  const is = new Map(after.map(cell => [cell.id, cell]));
  const gone = before.filter(cell => !is.has(cell.id));
  const came = after.filter(cell => !was.has(cell.id));
  const found: Happening[] = [];
  const named = new Set<string>();
  const add = (happening: Happening, ids: readonly string[]) => {
    found.push(happening);
    ids.forEach(id => named.add(id));
  };

  if (gone.length > 1 && came.length === 1 && isJoined(gone, came[0])) {
    const parents = gone.map(cell => cell.id);
    const into = came[0].id;
    const isBack = hints.wasThere(into);
    add({ kind: 'merge', into, parents, isBack }, [into, ...parents]);
  }
  after.forEach((cell, index) => {
    const whole = was.get(cell.id);
    if (whole && whole.source !== cell.source) {
      const first = firstPiece(after, index, id => isNew(id));
      const pieces = after.slice(first, index + 1);
      if (first < index && isTornInto(whole.source, pieces)) {
        const ids = pieces.map(piece => piece.id);
        add({ kind: 'split', from: cell.id, pieces: ids }, ids);
      }
    }
  });
  before.forEach(({ id }, index) => {
    if (!is.has(id) && !named.has(id)) {
      add({ kind: 'delete', id, ...placeOf(before, index, is) }, [id]);
    }
  });
  after.forEach((cell, index) => {
    const { id } = cell;
    const whole = was.get(id);
    if (whole) {
      if (whole.type !== cell.type) {
        add({ kind: 'type', id, from: whole.type, to: cell.type }, [id]);
      } else if (whole.source !== cell.source && !named.has(id)) {
        add({ kind: 'edit', id }, [id]);
      }
    } else if (!named.has(id)) {
      const from = isNew(id) ? hints.originOf(cell, index) : null;
      if (from) {
        add({ kind: 'copy', id, from }, [id]);
      } else if (isNew(id)) {
        add({ kind: 'new', id }, [id]);
      } else {
        add({ kind: 'undelete', id, ...placeOf(after, index, was) }, [id]);
      }
    }
  });
  return [...found, ...moves(before, after, hints.remade)];

  function isNew(id: string): boolean {
    return !was.has(id) && !hints.wasThere(id);
  }
}

function placeOf(
  cells: readonly ICellState[],
  index: number,
  others: ReadonlyMap<string, ICellState>
): IPlace {
  const above = cells.slice(0, index).reverse();
  return { index, after: above.find(({ id }) => others.has(id))?.id ?? null };
}

/** JupyterLab puts an empty line between the cells that it merges, or none. */
function isJoined(cells: readonly ICellState[], into: ICellState): boolean {
  const sources = cells.map(cell => cell.source);
  return ['\n\n', '\n'].some(between => sources.join(between) === into.source);
}

/** Where the new cells directly above this one begin. */
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

/** Whether these are the parts of a source; line breaks at their ends are dropped. */
function isTornInto(source: string, pieces: readonly ICellState[]): boolean {
  let at = 0;
  for (const piece of pieces) {
    while (source[at] === '\n') {
      at++;
    }
    if (!source.startsWith(piece.source, at)) {
      return false;
    }
    at += piece.source.length;
  }
  return /^\n*$/.test(source.slice(at));
}

/** The cells that stand elsewhere among those that stayed. */
function moves(
  before: readonly ICellState[],
  after: readonly ICellState[],
  remade: ReadonlySet<string>
): Happening[] {
  const from = new Map(before.map((cell, index) => [cell.id, index]));
  const to = new Map(after.map((cell, index) => [cell.id, index]));
  const stayed = before.filter(cell => to.has(cell.id)).map(cell => cell.id);
  const now = after.filter(cell => from.has(cell.id)).map(cell => cell.id);
  if (stayed.every((id, index) => id === now[index])) {
    return [];
  }
  let moved = new Set(now.filter(id => remade.has(id)));
  const rest = (ids: string[]) => ids.filter(id => !moved.has(id)).join('\n');
  if (moved.size === now.length || rest(stayed) !== rest(now)) {
    const inOrder = longestRising(now.map(id => from.get(id)!));
    moved = new Set(now.filter(id => !inOrder.has(from.get(id)!)));
  }
  return now
    .filter(id => moved.has(id))
    .map(id => ({ kind: 'move', id, from: from.get(id)!, to: to.get(id)! }));
}

/** The members of a longest rising part of a list of different numbers. */
function longestRising(numbers: readonly number[]): Set<number> {
  const ends: number[] = []; // the smallest end of a rising part of each length
  const previous = new Map<number, number | undefined>();
  for (const number of numbers) {
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (ends[middle] < number) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    previous.set(number, ends[low - 1]);
    ends[low] = number;
  }
  const rising = new Set<number>();
  let end = ends.at(-1);
  while (end !== undefined) {
    rising.add(end);
    end = previous.get(end);
  }
  return rising;
}
