/** The texts of the data view: sizes, numbers, shares and changes. */
import type { TranslationBundle } from '@jupyterlab/translation';

import type { IColumnProfile, IDataItem } from '../../../kernel/profile';
import { columnMention } from '../../../prompt/columnKinds';
import { countText, localeOf } from '../../../labels/formats';
import type { IItemChange } from '../model/changes';
import type { SortKey } from '../model/columnOrder';

/** “891 rows × 12 columns”, “2 × 3 × 4” */
export function itemShape(item: IDataItem, trans: TranslationBundle): string {
  const { kind, shape, rowCount, columnCount } = item;
  if (shape) {
    return shape.map(length => countText(length, trans)).join(' × ');
  }
  const rows = rowCount !== null && countText(rowCount, trans);
  const isTable = !/\.Series$/.test(kind);
  const columns =
    isTable && columnCount !== null && countText(columnCount, trans);
  return rows && columns
    ? trans.__('%1 rows × %2 columns', rows, columns)
    : rows
      ? trans._n('%2 row', '%2 rows', rowCount!, rows)
      : columns
        ? trans._n('%2 column', '%2 columns', columnCount!, columns)
        : '';
}

/** “84 KB”; empty if it is null */
export function memoryText(
  bytes: number | null,
  trans: TranslationBundle
): string {
  if (bytes === null) {
    return '';
  }
  const kilobytes = bytes / 1024;
  const inUnit = (amount: number) =>
    amount.toLocaleString(localeOf(trans), {
      maximumFractionDigits: amount < 10 ? 1 : 0
    });
  return kilobytes < 1000
    ? trans.__('%1 KB', inUnit(kilobytes))
    : kilobytes < 1000 * 1024
      ? trans.__('%1 MB', inUnit(kilobytes / 1024))
      : trans.__('%1 GB', inUnit(kilobytes / 1024 ** 2));
}

/**
 * Format a number with at most six significant digits, a whole one with all. A date is a text
 * already, from which midnight is left out.
 */
export function numberText(
  value: number | string | null | undefined,
  trans: TranslationBundle
): string {
  if (typeof value !== 'number') {
    return (value ?? '–').replace(/T00:00:00$/, '');
  }
  const size = Math.abs(value);
  const isPlain = value === 0 || (size >= 1e-4 && size < 1e15);
  return value.toLocaleString(localeOf(trans), {
    ...(!Number.isInteger(value) && { maximumSignificantDigits: 6 }),
    ...(!isPlain && { notation: 'scientific', maximumSignificantDigits: 6 })
  });
}

/** Only 0 and 1 are shown as 0% and 100%. */
export function percentText(
  count: number,
  total: number,
  trans: TranslationBundle
): string {
  const share = total > 0 ? count / total : 0;
  const percent = (value: number) =>
    value.toLocaleString(localeOf(trans), {
      style: 'percent',
      maximumFractionDigits: 0
    });
  return share > 0 && share < 0.01
    ? `<${percent(0.01)}`
    : share > 0.99 && share < 1
      ? `>${percent(0.99)}`
      : percent(share);
}

/** Return whether a variable's columns have names that code can use. */
function hasNamedColumns({ kind }: IDataItem): boolean {
  return !/\.(Series|ndarray)$/.test(kind);
}

/** A blank name is shown in quotes. */
export function columnName(name: string, item: IDataItem): string {
  return name.trim()
    ? name
    : hasNamedColumns(item)
      ? JSON.stringify(name)
      : item.name;
}

/** `@df.price`; of a series or an array, `@prices` */
export function mentionOf(name: string, item: IDataItem): string {
  return hasNamedColumns(item)
    ? columnMention(item.name, name)
    : `@${item.name}`;
}

export interface IBadge {
  readonly text: string;
  readonly tone: 'good' | 'bad' | 'other';
}

export function itemBadges(
  change: IItemChange | undefined,
  trans: TranslationBundle
): IBadge[] {
  if (!change) {
    return [];
  }
  const { isNew, added, removed, retyped, addedRows } = change;
  const rows = countText(Math.abs(addedRows), trans);
  const badges: (IBadge | false)[] = [
    isNew && { text: trans.__('new'), tone: 'good' },
    addedRows > 0 && {
      text: trans._n('+%2 row', '+%2 rows', addedRows, rows),
      tone: 'good'
    },
    addedRows < 0 && {
      text: trans._n('−%2 row', '−%2 rows', -addedRows, rows),
      tone: 'bad'
    },
    added.size > 0 && {
      text: trans._n('%1 new column', '%1 new columns', added.size),
      tone: 'good'
    },
    removed.length > 0 && {
      text: trans._n('%1 removed column', '%1 removed columns', removed.length),
      tone: 'bad'
    },
    retyped.size > 0 && {
      text: trans._n('%1 new type', '%1 new types', retyped.size),
      tone: 'other'
    }
  ];
  return badges.filter(badge => badge !== false);
}

/** Null if the column hasn't changed. */
export function columnBadge(
  name: string,
  change: IItemChange | undefined,
  trans: TranslationBundle
): IBadge | null {
  const dtype = change?.retyped.get(name);
  return change?.added.has(name)
    ? { text: trans.__('new'), tone: 'good' }
    : dtype !== undefined
      ? { text: trans.__('was %1', dtype), tone: 'other' }
      : null;
}

export function sortLabel(sort: SortKey, trans: TranslationBundle): string {
  const labels: Record<SortKey, string> = {
    position: trans.__('Position'),
    name: trans.__('Name'),
    missing: trans.__('Most missing'),
    distinct: trans.__('Most distinct')
  };
  return labels[sort];
}

/** Return why a profile lacks something; empty if it doesn't. */
export function noteText(
  profile: IColumnProfile | null | undefined,
  trans: TranslationBundle
): string {
  if (profile === null) {
    return trans.__('This column could not be summarised.');
  }
  const texts: Record<string, string> = {
    objects: trans.__('The values are Python objects; they aren’t compared.'),
    nested: trans.__('The values are lists or records.'),
    unsupported: trans.__('Values of this type can’t be summarised.')
  };
  return texts[profile?.note ?? ''] ?? '';
}
