import { changesSince } from './changes';
import { frameOf, listOf } from './data.fakes';

describe('changesSince', () => {
  it('reports new, removed and retyped columns, and rows', () => {
    const base = listOf(frameOf('df', { a: 'int64', b: 'object', c: 'bool' }));
    const list = listOf(
      frameOf(
        'df',
        { 价格: 'float64', c: 'object', a: 'int64' },
        { rowCount: 130 }
      )
    );
    const change = changesSince(base, list).get('df')!;
    expect(change.isNew).toBe(false);
    expect([...change.added]).toEqual(['价格']);
    expect(change.removed).toEqual([{ name: 'b', dtype: 'object' }]);
    expect([...change.retyped]).toEqual([['c', 'bool']]);
    expect(change.addedRows).toBe(120);
  });

  it('reports nothing without an older list, and nothing about the same data', () => {
    const list = listOf(frameOf('df', { a: 'int64' }));
    expect(changesSince(null, list).size).toBe(0);
    const other = listOf(frameOf('df', { a: 'int64' }, { identity: 'other' }));
    expect(changesSince(list, other).size).toBe(0);
  });

  it('reports new variables and those of another class', () => {
    const base = listOf(frameOf('df', { a: 'int64' }));
    const list = listOf(
      frameOf('df', { a: 'Int64' }, { kind: 'polars.DataFrame' }),
      frameOf('x', {})
    );
    const changes = changesSince(base, list);
    expect([...changes].map(([name, { isNew }]) => [name, isNew])).toEqual([
      ['df', true],
      ['x', true]
    ]);
  });

  it('compares columns of the same name together', () => {
    const twice = (...dtypes: string[]) =>
      frameOf(
        'df',
        {},
        { columns: dtypes.map(dtype => ({ name: 'a', dtype })) }
      );
    const change = (before: string[], after: string[]) =>
      changesSince(listOf(twice(...before)), listOf(twice(...after))).get('df');
    expect(change(['int64', 'bool'], ['int64', 'bool'])).toBeUndefined();
    expect(change(['int64', 'bool'], ['int64'])?.retyped.get('a')).toBe(
      'int64, bool'
    );
  });

  it('reports nothing that is not certain', () => {
    // The first two columns of a wide frame: `b` may only have moved.
    const wide = { columnCount: 9000 };
    const base = listOf(frameOf('df', { a: 'int64', b: 'object' }, wide));
    const list = listOf(frameOf('df', { x: 'int64', a: 'bool' }, wide));
    const change = changesSince(base, list).get('df')!;
    expect([change.added.size, change.removed.length]).toEqual([0, 0]);
    expect([...change.retyped.keys()]).toEqual(['a']);
    // A list that ends after the newest variables, and rows that aren't counted.
    const cut = { ...listOf(frameOf('df', {})), isComplete: false };
    expect(changesSince(cut, listOf(frameOf('x', {}))).size).toBe(0);
    const lazy = listOf(frameOf('df', {}, { rowCount: null }));
    expect(changesSince(lazy, listOf(frameOf('df', {}))).size).toBe(0);
  });
});
