/**
 * Compares two lists of the kernel's data.
 *
 * Invariant: a change is reported only if it is certain. A list that isn't complete, or the first
 * columns of a very wide frame, don't say whether something else is new or was removed.
 */
import type {
  IDataColumn,
  IDataItem,
  IDataList
} from '../../../kernel/profile';

export interface IItemChange {
  /** Whether the variable is new, or got data of another class. */
  readonly isNew: boolean;
  readonly added: ReadonlySet<string>;
  /** The former dtype of each column whose dtype has changed, by name. */
  readonly retyped: ReadonlyMap<string, string>;
  /** With their former dtypes. */
  readonly removed: readonly IDataColumn[];
  /** Negative if rows were removed. */
  readonly addedRows: number;
}

/** Return the changes since the list `base`, by the variable's name. */
export function changesSince(
  base: IDataList | null,
  list: IDataList
): ReadonlyMap<string, IItemChange> {
  const changes = new Map<string, IItemChange>();
  if (!base) {
    return changes;
  }
  const former = new Map(base.items.map(item => [item.name, item]));
  for (const item of list.items) {
    const old = former.get(item.name);
    const change =
      old?.kind === item.kind
        ? changeOf(old, item)
        : old || base.isComplete
          ? NEW
          : null;
    if (change) {
      changes.set(item.name, change);
    }
  }
  return changes;
}

const NEW: IItemChange = {
  isNew: true,
  added: new Set(),
  retyped: new Map(),
  removed: [],
  addedRows: 0
};

function changeOf(old: IDataItem, item: IDataItem): IItemChange | null {
  const [before, after] = [dtypesByName(old), dtypesByName(item)];
  const isCertain = hasAllColumns(old) && hasAllColumns(item);
  const isIn = (dtypes: ReadonlyMap<string, string>) => (name: string) =>
    dtypes.has(name);
  const added = new Set(
    isCertain ? [...after.keys()].filter(name => !isIn(before)(name)) : []
  );
  const removed = isCertain
    ? [...before]
        .filter(([name]) => !isIn(after)(name))
        .map(([name, dtype]) => ({ name, dtype }))
    : [];
  const retyped = new Map(
    [...before].filter(
      ([name, dtype]) => isIn(after)(name) && after.get(name) !== dtype
    )
  );
  const addedRows =
    old.rowCount === null || item.rowCount === null
      ? 0
      : item.rowCount - old.rowCount;
  return added.size || removed.length || retyped.size || addedRows
    ? { isNew: false, added, removed, retyped, addedRows }
    : null;
}

/** Columns with the same name count as one. */
function dtypesByName({ columns }: IDataItem): Map<string, string> {
  const dtypes = new Map<string, string>();
  for (const { name, dtype } of columns) {
    const first = dtypes.get(name);
    dtypes.set(name, first === undefined ? dtype : `${first}, ${dtype}`);
  }
  return dtypes;
}

function hasAllColumns({ columns, columnCount }: IDataItem): boolean {
  return columnCount === null || columnCount <= columns.length;
}
