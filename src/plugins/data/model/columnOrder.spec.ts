import type { IColumnProfile } from '../../../kernel/profile';
import { filterColumns, sortColumns } from './columnOrder';

const NAMES = ['城市', 'Price', 'x10', 'x9', '单价（元）', 'ＡＢＣ'];
const COLUMNS = NAMES.map(name => ({ name, dtype: 'int64' }));

describe('filterColumns', () => {
  it.each([
    ['', NAMES],
    ['  PRI ', ['Price']],
    ['价', ['单价（元）']],
    ['abc', ['ＡＢＣ']],
    ['[', []]
  ])('finds %j', (filter, names) => {
    const indices = filterColumns(COLUMNS, filter);
    expect(indices.map(index => NAMES[index])).toEqual(names);
  });
});

describe('sortColumns', () => {
  const all = [0, 1, 2, 3];
  const sort = (
    key: 'position' | 'name' | 'missing' | 'distinct',
    profiles: Record<number, Partial<IColumnProfile>> = {}
  ) =>
    sortColumns(
      all,
      key,
      COLUMNS,
      index => profiles[index] as IColumnProfile | undefined
    );

  it('sorts by position and by name, with numbers by their value', () => {
    expect(sort('position')).toEqual(all);
    const names = sort('name').map(index => NAMES[index]);
    expect(names.indexOf('x9')).toBe(names.indexOf('x10') - 1);
  });

  it('sorts by the share of missing values, and by distinct values', () => {
    const profiles = {
      0: { missing: 5, rows: 10, distinct: 2 },
      1: { missing: 6, rows: 100, distinct: null },
      2: { missing: 5, rows: 10, distinct: 7 },
      3: { missing: null, rows: 10, distinct: 9 }
    };
    expect(sort('missing', profiles)).toEqual([0, 2, 1, 3]);
    expect(sort('distinct', profiles)).toEqual([3, 2, 0, 1]);
  });
});
