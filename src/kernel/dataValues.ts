/**
 * Reads values of a DataFrame that a person has chosen to send: statistics of its columns, and its
 * first rows.
 *
 * `aiserver/kernel/variables.py`, for R `aiserver/kernel/r/sample.R`, reads the rows; the statistics
 * are in the profile of `profile.ts`. The invariants of `request.ts` apply. What the HTTP API would
 * refuse is left out.
 */
import type { Kernel } from '@jupyterlab/services';

import type {
  ColumnStatistics,
  DataFrameProfile,
  PrivacyLevel
} from '../api/types';
import { IColumnProfile, profileColumns } from './profile';
import { DataLanguage, callFunction } from './request';
import { type Infer, type Reader, all, isMissing, record, text } from './shape';

/** The limit of the HTTP API. */
export const SAMPLE_ROWS = 5;
/** The limit of the HTTP API. */
const MAX_COLUMNS = 200;
/** Columns that aren't profiled within this time have no statistics. */
const MAX_MS = 5000;
const MAX_VALUE = 60;
const DATE =
  /^[+-]?\d{4,6}-\d\d-\d\d(?:[T ]\d\d:\d\d[\d:.]{0,13}(?:Z|[+-]\d\d:?\d\d)?)?$/;

export interface IDescribedColumn {
  readonly index: number;
  readonly name: string;
  readonly statistics: ColumnStatistics;
}

export interface IDataValues {
  readonly columns: readonly IDescribedColumn[];
  /** Null unless the level is `sample`. */
  readonly sample: IFirstRows | null;
}

/** Null for a missing value. */
const VALUE: Reader<string | null> = value => {
  const given = value === null ? '' : text(value);
  return given !== undefined && [...given].length <= MAX_VALUE
    ? (value as string | null)
    : undefined;
};
const SAMPLE = record({ columns: all(text), rows: all(all(VALUE)) });

/** The first rows as texts, and their columns' names. */
export type IFirstRows = Infer<typeof SAMPLE>;

/**
 * Read the values that a privacy level includes. The result is null if there is no such DataFrame.
 *
 * @throws KernelBusyError; Error if the kernel died or its reply is invalid.
 */
export async function readDataValues(
  kernel: Kernel.IKernelConnection,
  language: DataLanguage,
  name: string,
  level: Exclude<PrivacyLevel, 'schema'>
): Promise<IDataValues | null> {
  const sample =
    level === 'sample' ? await readFirstRows(kernel, language, name) : null;
  if (level === 'sample' && !sample) {
    return null;
  }
  const columns: IDescribedColumn[] = [];
  const end = Date.now() + MAX_MS;
  let next: number | null = 0;
  while (next !== null && next < MAX_COLUMNS && Date.now() < end) {
    const first: number = next;
    const profile = await profileColumns(
      kernel,
      language,
      name,
      first,
      MAX_COLUMNS - first
    );
    if (!profile) {
      return null;
    }
    columns.push(...profile.columns.map(toDescribedColumn));
    // A kernel whose reply makes no progress must not be asked forever.
    next = profile.next !== null && profile.next > first ? profile.next : null;
  }
  return { columns, sample };
}

/** Return a DataFrame's profile with these values. */
export function withValues(
  frame: DataFrameProfile,
  { columns: described, sample }: IDataValues
): DataFrameProfile {
  const { columns = [] } = frame;
  const byIndex = new Map(described.map(item => [item.index, item]));
  const hasRows =
    !!sample?.rows.length &&
    sample.columns.length === columns.length &&
    columns.every(({ name }, index) => name === sample.columns[index]);
  return {
    ...frame,
    columns: columns.map((column, index) => {
      const item = byIndex.get(index);
      return item?.name === column.name
        ? { ...column, statistics: item.statistics }
        : column;
    }),
    ...(hasRows && { sample: { rows: sample.rows } })
  };
}

async function readFirstRows(
  kernel: Kernel.IKernelConnection,
  language: DataLanguage,
  name: string
): Promise<IFirstRows | null> {
  const result = await callFunction(
    kernel,
    language,
    async () => (await import('./variablesCode')).VARIABLES,
    'first_rows',
    name,
    SAMPLE_ROWS
  );
  const sample = SAMPLE(result);
  if (!sample && !isMissing(result)) {
    throw new Error('The kernel sent no rows.');
  }
  return sample ?? null;
}

/** The server decides which statistics a model may get. */
function toDescribedColumn(column: IColumnProfile): IDescribedColumn {
  const { index, name, all, numbers, dates } = column;
  // If the range is that of all rows, figures of a sample don't belong beside it.
  const statistics: ColumnStatistics = all
    ? { ...all }
    : {
        rows: column.rows,
        missing: column.missing,
        distinct: column.distinct
      };
  if (numbers) {
    const { min, max, mean } = numbers;
    const quartiles = numbers.quartiles.filter(value => value !== null);
    Object.assign(statistics, { min, max, mean });
    if (quartiles.length === 3 && !all) {
      statistics.quartiles = quartiles;
    }
  } else if (dates && DATE.test(dates.min) && DATE.test(dates.max)) {
    Object.assign(statistics, { min: dates.min, max: dates.max });
  }
  return { index, name, statistics };
}
