/**
 * Lists the kernel's data, such as DataFrames and arrays, and profiles their columns, in the kernel:
 * `aiserver/kernel/profiling/`, and for R `aiserver/kernel/r/`. The invariants of `request.ts`
 * apply. What is invalid in the results is left out.
 */
import type { Kernel } from '@jupyterlab/services';

import { DataLanguage, callFunction } from './request';
import {
  type Infer,
  all,
  count,
  finite,
  flag,
  isMissing,
  listOf,
  or,
  record,
  text
} from './shape';

const loadPython = async () => (await import('./profileCode')).PROFILE;

const COLUMN = or(
  record({ name: or(text, ''), dtype: or(text, '') }),
  // Without an invalid column, the positions of the others would be wrong.
  { name: '', dtype: '' }
);
const ITEM = record({
  name: text,
  /** Such as `pandas.DataFrame`. */
  kind: text,
  /** Null if counting the rows would compute them. */
  rowCount: or(count, null),
  columnCount: or(count, null),
  /** The size of each dimension of an array; null for tables. */
  shape: or(all(count), null),
  /** Null if it can't be read cheaply. */
  bytes: or(count, null),
  /** Whether the data is computed only when it is used, as in a `polars.LazyFrame`. */
  isLazy: flag,
  /** Its first columns; `columnCount` may be larger. */
  columns: or(listOf(COLUMN), []),
  /** Changes if another object is assigned to the variable. */
  identity: text
});
const LIST = record({
  /** The newest variable first. */
  items: listOf(ITEM),
  /** Whether it contains all variables with data. */
  isComplete: flag
});
const COLUMNS = record({ columns: listOf(COLUMN) });
const TOP_VALUE = record({ value: text, count });
/** Null for a number that isn't finite. */
const NUMBER = or(finite, null);
const PROFILE = record(
  {
    /** From 0. Two columns can have the same name. */
    index: count,
    name: text,
    dtype: text,
    /** The number of examined rows, which may be a sample. */
    rows: count,
    /** In these rows; null if not computed. */
    missing: or(count, null),
    distinct: or(count, null),
    top: or(listOf(TOP_VALUE), [])
  },
  {
    /** The counts of all rows, if the examined ones are a sample. */
    all: record({ rows: count, missing: count }),
    numbers: record({
      min: NUMBER,
      max: NUMBER,
      mean: NUMBER,
      std: NUMBER,
      quartiles: or(listOf(NUMBER, 3), [])
    }),
    dates: record({ min: text, max: text }),
    /** The number of values in each bin; all bins have the same width. */
    histogram: record({ min: finite, max: finite, counts: all(count) }),
    /** Why something wasn't computed: `objects`, `nested` or `unsupported`. */
    note: text
  }
);
const PROFILES = record({
  rowCount: or(count, null),
  /** The first column that wasn't reached in time; null if all were. */
  next: or(count, null),
  columns: listOf(PROFILE)
});

export type IDataColumn = Infer<typeof COLUMN>;
export type IDataItem = Infer<typeof ITEM>;
export type IDataList = Infer<typeof LIST>;
export type ITopValue = Infer<typeof TOP_VALUE>;
export type IColumnProfile = Infer<typeof PROFILE>;
export type INumbers = NonNullable<IColumnProfile['numbers']>;
export type IHistogram = NonNullable<IColumnProfile['histogram']>;
export type IProfiledColumns = Infer<typeof PROFILES>;

/** @throws KernelBusyError; Error if the kernel died or its reply is invalid. */
export async function listData(
  kernel: Kernel.IKernelConnection,
  language: DataLanguage
): Promise<IDataList> {
  const list = LIST(
    await callFunction(kernel, language, loadPython, 'list_data')
  );
  if (!list) {
    throw new Error('The kernel sent no list of data.');
  }
  return list;
}

/**
 * Profile at most `count` columns from `first`. The kernel stops early if that takes too long; see
 * `next` of the result. Null if no variable with this name contains data.
 *
 * @throws KernelBusyError; Error if the kernel died or its reply is invalid.
 */
export async function profileColumns(
  kernel: Kernel.IKernelConnection,
  language: DataLanguage,
  name: string,
  first: number,
  count: number
): Promise<IProfiledColumns | null> {
  const result = await callFunction(
    kernel,
    language,
    loadPython,
    'profile_columns',
    name,
    first,
    count
  );
  const profiles = PROFILES(result);
  if (!profiles && !isMissing(result)) {
    throw new Error('The kernel sent no profiles of columns.');
  }
  return profiles ?? null;
}

/**
 * Read the columns of lazy data, without computing it. Null if the kernel can't tell them.
 *
 * @throws KernelBusyError; Error if the kernel died or its reply is invalid.
 */
export async function listLazyColumns(
  kernel: Kernel.IKernelConnection,
  language: DataLanguage,
  name: string
): Promise<IDataColumn[] | null> {
  const result = COLUMNS(
    await callFunction(kernel, language, loadPython, 'list_lazy_columns', name)
  );
  return result?.columns ?? null;
}
