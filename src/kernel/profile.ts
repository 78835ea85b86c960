/**
 * Lists the kernel's data, such as DataFrames and arrays, and profiles their columns.
 *
 * Both happen in the kernel: `aiserver/kernel/profiling/`, and for R `aiserver/kernel/r/`. The
 * invariants of `request.ts` apply. What is invalid in the results is left out.
 */
import type { Kernel } from '@jupyterlab/services';

import { DataLanguage, callFunction } from './request';
import {
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

export interface IDataColumn {
  readonly name: string;
  readonly dtype: string;
}

/** A variable that contains data. */
export interface IDataItem {
  readonly name: string;
  /** Its class, such as `pandas.DataFrame`. */
  readonly kind: string;
  /** Null if counting the rows would compute them. */
  readonly rowCount: number | null;
  readonly columnCount: number | null;
  /** The size of each dimension of an array; null for tables. */
  readonly shape: readonly number[] | null;
  /** Its memory; null if the memory can't be read cheaply. */
  readonly bytes: number | null;
  /** Whether the data is computed only when it is used, like that of a `polars.LazyFrame`. */
  readonly isLazy: boolean;
  /** Its first columns; `columnCount` may be larger. */
  readonly columns: readonly IDataColumn[];
  /** A text that changes if another object is assigned to the variable. */
  readonly identity: string;
}

export interface IDataList {
  /** The newest variable first. */
  readonly items: readonly IDataItem[];
  /** Whether the list contains all variables with data. */
  readonly isComplete: boolean;
}

/** Null stands for a number that isn't finite. */
export interface INumbers {
  readonly min: number | null;
  readonly max: number | null;
  readonly mean: number | null;
  readonly std: number | null;
  readonly quartiles: readonly (number | null)[];
}

export interface IHistogram {
  readonly min: number;
  readonly max: number;
  /** The number of values in each bin; all bins have the same width. */
  readonly counts: readonly number[];
}

export interface ITopValue {
  readonly value: string;
  readonly count: number;
}

export interface IColumnProfile extends IDataColumn {
  /** The position among the columns, from 0. Two columns can have the same name. */
  readonly index: number;
  /** The number of rows that were examined; smaller than all rows if they are a sample. */
  readonly rows: number;
  /** The number of missing values in the examined rows; null if it wasn't computed. */
  readonly missing: number | null;
  /** The number of distinct values in the examined rows; null if it wasn't computed. */
  readonly distinct: number | null;
  /** The numbers of all rows and of the missing values in them, if the examined rows are a sample. */
  readonly all?: { readonly rows: number; readonly missing: number };
  readonly numbers?: INumbers;
  readonly dates?: { readonly min: string; readonly max: string };
  readonly histogram?: IHistogram;
  /** The most frequent values. */
  readonly top: readonly ITopValue[];
  /** Why something wasn't computed: `objects`, `nested` or `unsupported`. */
  readonly note?: string;
}

export interface IProfiledColumns {
  readonly rowCount: number | null;
  /** The index of the first column that wasn't reached in time; null if all were. */
  readonly next: number | null;
  readonly columns: readonly IColumnProfile[];
}

const loadPython = async () => (await import('./profileCode')).PROFILE;

const COLUMN = or(
  record<IDataColumn>({ name: or(text, ''), dtype: or(text, '') }),
  // If one column is invalid, the positions of the others would be wrong without it.
  { name: '', dtype: '' }
);
const ITEM = record<IDataItem>({
  name: text,
  kind: text,
  rowCount: or(count, null),
  columnCount: or(count, null),
  shape: or(all(count), null),
  bytes: or(count, null),
  isLazy: flag,
  columns: or(listOf(COLUMN), []),
  identity: text
});
const LIST = record<IDataList>({ items: listOf(ITEM), isComplete: flag });
const COLUMNS = record({ columns: listOf(COLUMN) });

type OptionalField = 'all' | 'numbers' | 'dates' | 'histogram' | 'note';
const PROFILE = record<
  Omit<IColumnProfile, OptionalField>,
  Required<Pick<IColumnProfile, OptionalField>>
>(
  {
    index: count,
    name: text,
    dtype: text,
    rows: count,
    missing: or(count, null),
    distinct: or(count, null),
    top: or(listOf(record<ITopValue>({ value: text, count })), [])
  },
  {
    all: record({ rows: count, missing: count }),
    numbers: record<INumbers>({
      min: or(finite, null),
      max: or(finite, null),
      mean: or(finite, null),
      std: or(finite, null),
      quartiles: or(listOf(or(finite, null), 3), [])
    }),
    dates: record({ min: text, max: text }),
    histogram: record<IHistogram>({
      min: finite,
      max: finite,
      counts: all(count)
    }),
    note: text
  }
);
const PROFILES = record<IProfiledColumns>({
  rowCount: or(count, null),
  next: or(count, null),
  columns: listOf(PROFILE)
});

/**
 * List the data of a kernel.
 *
 * @throws KernelBusyError; Error if the kernel died or its reply is invalid.
 */
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
 * Profile the columns from `first`, `count` at most. The kernel stops early if that takes too long;
 * see `next` of the result. The result is null if no variable with this name contains data.
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
 * Read the columns of lazy data, without computing the data. The result is null if the kernel can't
 * tell them.
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
