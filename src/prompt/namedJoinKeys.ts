/**
 * Finds columns by which tables can be joined, by names and dtypes. `kernel/joinKeys.ts` also
 * compares values.
 */
import type { IJoinKey } from '../kernel/joinKeys';
import {
  type Column,
  isComparable,
  type ITable,
  keyName,
  snakeCase
} from './columnKinds';

/** These identify the same things in all tables. */
const GLOBAL_KEY = /^(isbn|sku)$/;

/** Return the most likely keys first. */
export function namedJoinKeys(tables: readonly ITable[]): IJoinKey[] {
  const pairs: { rank: number; key: IJoinKey }[] = [];
  tables.forEach((left, index) => {
    for (const right of tables.slice(index + 1)) {
      for (const [leftColumn, rightColumn] of keyPairs(left, right)) {
        const rank = rankOf(left, leftColumn, right, rightColumn);
        if (rank !== null) {
          const key = {
            left: left.name,
            leftColumn: leftColumn.name,
            right: right.name,
            rightColumn: rightColumn.name,
            share: null
          };
          pairs.push({ rank, key });
        }
      }
    }
  });
  return pairs.sort((a, b) => a.rank - b.rank).map(({ key }) => key);
}

/** Return pairs of key columns; none if all columns are the same, as in parts of one table. */
function keyPairs(left: ITable, right: ITable): [Column, Column][] {
  const names = ({ columns = [] }: ITable) =>
    JSON.stringify(columns.map(({ name }) => name));
  const keys = ({ columns = [], hasHeader }: ITable) =>
    hasHeader === false ? [] : columns.filter(({ name }) => keyName(name));
  return names(left) === names(right)
    ? []
    : keys(left).flatMap(column =>
        keys(right)
          .filter(other => isComparable(column, other))
          .map((other): [Column, Column] => [column, other])
      );
}

/**
 * Return 0 for `customer_id` in two tables, one of them `customers`; 1 for `customer_id`, and `id`
 * of `customers`; 2 for `customer_id` elsewhere; else null.
 */
function rankOf(
  leftTable: ITable,
  leftColumn: Column,
  rightTable: ITable,
  rightColumn: Column
): number | null {
  const left = keyName(leftColumn.name);
  const right = keyName(rightColumn.name);
  if (!left || !right || left.end !== right.end) {
    return null;
  }
  if (plain(left.entity) === plain(right.entity)) {
    const { entity, end } = left;
    const isOfTable = [leftTable, rightTable].some(table =>
      isAbout(table, entity)
    );
    const isSame = plain(entity) !== '' || GLOBAL_KEY.test(end);
    return isSame ? (isOfTable ? 0 : 2) : null;
  }
  const isReference =
    (!left.entity && isAbout(leftTable, right.entity)) ||
    (!right.entity && isAbout(rightTable, left.entity));
  return isReference ? 1 : null;
}

/** Each row of `dim_customers` is a `customer`. */
function isAbout({ name }: ITable, entity: string): boolean {
  const thing = plain(entity);
  if (!thing) {
    return false;
  }
  const words = snakeCase(name).split(/[^\p{L}\p{N}]+/u);
  const ends = words.map((_, index) => words.slice(index).join(''));
  const forms = [thing, `${thing}s`, `${thing}es`, thing.replace(/y$/, 'ies')];
  // A Chinese name has no plural, and a word such as “表” may follow.
  const isStart = /\P{ASCII}/u.test(thing) && ends[0].startsWith(thing);
  return isStart || ends.some(end => forms.includes(end));
}

function plain(entity: string): string {
  return entity.replace(/[^\p{L}\p{N}]/gu, '');
}
