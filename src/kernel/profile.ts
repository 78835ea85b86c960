/**
 * Lists the kernel's data, such as DataFrames and arrays, and profiles their columns.
 *
 * Both happen in the kernel: `aiserver/kernel/profiling/`, and for R `aiserver/kernel/r/`. The invariants of `request.ts` apply. The
 * results from the kernel aren't trusted, because they contain names and values from the person's
 * data: everything in them is validated, and what is invalid is left out.
 */
import type { Kernel } from '@jupyterlab/services';

import { DataLanguage, callFunction } from './request';

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
  readonly min: number | string;
  readonly max: number | string;
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

/**
 * List the data of a kernel.
 *
 * @throws KernelBusyError; Error if the kernel died or its reply is invalid.
 */
export async function listData(
  kernel: Kernel.IKernelConnection,
  language: DataLanguage
): Promise<IDataList> {
  const result = asRecord(
    await callFunction(kernel, language, loadPython, 'list_data')
  );
  if (!Array.isArray(result.items)) {
    throw new Error('The kernel sent no list of data.');
  }
  return {
    items: result.items.flatMap(toItem),
    isComplete: result.isComplete === true
  };
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
  const result = asRecord(
    await callFunction(
      kernel,
      language,
      loadPython,
      'profile_columns',
      name,
      first,
      count
    )
  );
  if (result.problem === 'missing') {
    return null;
  }
  if (!Array.isArray(result.columns)) {
    throw new Error('The kernel sent no profiles of columns.');
  }
  return {
    rowCount: countOrNull(result.rowCount),
    next: countOrNull(result.next),
    columns: result.columns.flatMap(toColumnProfile)
  };
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
  const result = asRecord(
    await callFunction(kernel, language, loadPython, 'list_lazy_columns', name)
  );
  return Array.isArray(result.columns) ? result.columns.map(toColumn) : null;
}

function asRecord(value: unknown): Record<string, unknown> {
  return value !== null && typeof value === 'object'
    ? (value as Record<string, unknown>)
    : {};
}

const isText = (value: unknown): value is string => typeof value === 'string';

const isCount = (value: unknown): value is number =>
  Number.isSafeInteger(value) && Number(value) >= 0;

const countOrNull = (value: unknown) => (isCount(value) ? value : null);

const numberOrNull = (value: unknown) =>
  typeof value === 'number' && Number.isFinite(value) ? value : null;

const listOf = (value: unknown): unknown[] =>
  Array.isArray(value) ? value : [];

/** Return the item that `value` describes, as a list; an empty list if `value` is invalid. */
function toItem(value: unknown): IDataItem[] {
  const item = asRecord(value);
  const { name, kind, identity, shape } = item;
  if (!isText(name) || !isText(kind) || !isText(identity)) {
    return [];
  }
  return [
    {
      name,
      kind,
      rowCount: countOrNull(item.rowCount),
      columnCount: countOrNull(item.columnCount),
      shape: Array.isArray(shape) && shape.every(isCount) ? shape : null,
      bytes: countOrNull(item.bytes),
      isLazy: item.isLazy === true,
      // If one column is invalid, the positions of the others would be wrong without it.
      columns: listOf(item.columns).map(toColumn),
      identity
    }
  ];
}

function toColumn(value: unknown): IDataColumn {
  const { name, dtype } = asRecord(value);
  return { name: isText(name) ? name : '', dtype: isText(dtype) ? dtype : '' };
}

/** Return the profile that `value` describes, as a list; an empty list if `value` is invalid. */
function toColumnProfile(value: unknown): IColumnProfile[] {
  const column = asRecord(value);
  const { index, name, dtype, rows } = column;
  if (!isCount(index) || !isText(name) || !isText(dtype) || !isCount(rows)) {
    return [];
  }
  const { numbers, dates, histogram, note } = column;
  const { min, max } = asRecord(dates);
  const all = asRecord(column.all);
  return [
    {
      index,
      name,
      dtype,
      rows,
      missing: countOrNull(column.missing),
      distinct: countOrNull(column.distinct),
      ...(isCount(all.rows) &&
        isCount(all.missing) && {
          all: { rows: all.rows, missing: all.missing }
        }),
      ...(numbers !== undefined && { numbers: toNumbers(numbers) }),
      ...(isText(min) && isText(max) && { dates: { min, max } }),
      ...toHistogram(histogram),
      top: listOf(column.top).flatMap(toTopValue),
      ...(isText(note) && { note })
    }
  ];
}

function toNumbers(value: unknown): INumbers {
  const { min, max, mean, std, quartiles } = asRecord(value);
  return {
    min: numberOrNull(min),
    max: numberOrNull(max),
    mean: numberOrNull(mean),
    std: numberOrNull(std),
    quartiles: listOf(quartiles).slice(0, 3).map(numberOrNull)
  };
}

function toHistogram(value: unknown): { histogram?: IHistogram } {
  const { min, max, counts } = asRecord(value);
  const isEdge = (edge: unknown): edge is number | string =>
    isText(edge) || numberOrNull(edge) !== null;
  const bins = listOf(counts).slice(0, 20);
  return isEdge(min) && isEdge(max) && bins.length && bins.every(isCount)
    ? { histogram: { min, max, counts: bins as number[] } }
    : {};
}

function toTopValue(value: unknown): ITopValue[] {
  const { value: text, count } = asRecord(value);
  return isText(text) && isCount(count) ? [{ value: text, count }] : [];
}
