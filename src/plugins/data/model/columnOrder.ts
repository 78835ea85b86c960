/** Filters and sorts the columns of a frame. */
import type { IColumnProfile, IDataColumn } from '../../../kernel/profile';

export const SORT_KEYS = ['position', 'name', 'missing', 'distinct'] as const;
export type SortKey = (typeof SORT_KEYS)[number];

export function needsProfiles(sort: SortKey): boolean {
  return sort === 'missing' || sort === 'distinct';
}

/** Return the positions of the columns whose names contain the filter, in any case. */
export function filterColumns(
  columns: readonly IDataColumn[],
  filter: string
): number[] {
  const text = fold(filter.trim());
  const indices = columns.map((_, index) => index);
  return text
    ? indices.filter(index => fold(columns[index].name).includes(text))
    : indices;
}

/**
 * Sort the positions of columns: names in ascending order, as people of this language sort them;
 * missing and distinct values in descending order, with what isn't computed at the end.
 */
export function sortColumns(
  indices: readonly number[],
  sort: SortKey,
  columns: readonly IDataColumn[],
  profileOf: (index: number) => IColumnProfile | undefined,
  locale?: string
): number[] {
  const sorted = [...indices];
  if (sort === 'name') {
    const { compare } = new Intl.Collator(locale, { numeric: true });
    sorted.sort((a, b) => compare(columns[a].name, columns[b].name) || a - b);
  } else if (needsProfiles(sort)) {
    const values = new Map(
      indices.map(index => [index, valueOf(profileOf(index), sort)])
    );
    sorted.sort((a, b) => values.get(b)! - values.get(a)! || a - b);
  }
  return sorted;
}

function valueOf(profile: IColumnProfile | undefined, sort: SortKey): number {
  const count = sort === 'missing' ? profile?.missing : profile?.distinct;
  return count === null || count === undefined
    ? -1
    : sort === 'missing'
      ? count / Math.max(1, profile!.rows)
      : count;
}

/** Ignore case, and full-width forms. */
function fold(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}
