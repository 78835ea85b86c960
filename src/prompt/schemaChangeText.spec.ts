import { nullTranslator } from '@jupyterlab/translation';

import type { SchemaChange } from '../api/types';
import { schemaChangeParts, schemaChangeTitle } from './schemaChangeText';

const trans = nullTranslator.load('aiserver');
const NONE: SchemaChange = {
  name: 'sales',
  added: [],
  removed: [],
  retyped: [],
  addedCount: 0,
  removedCount: 0,
  retypedCount: 0
};
const texts = (change: Partial<SchemaChange>) =>
  schemaChangeParts({ ...NONE, ...change }, trans).map(
    ({ tag, text }) => `${tag}: ${text}`
  );

describe('schemaChangeParts', () => {
  it('lists columns, then the class and the numbers', () => {
    expect(schemaChangeTitle(NONE, trans)).toBe(
      'sales has changed since the last request with it:'
    );
    expect(
      texts({
        added: [{ name: '地区', dtype: 'object' }],
        addedCount: 1,
        removed: [{ name: 'city', dtype: 'object' }],
        removedCount: 1,
        retyped: [{ name: 'price', before: 'int64', after: 'float64' }],
        retypedCount: 1,
        rows: { before: 891, after: 2091 }
      })
    ).toEqual([
      'ins: + 地区 (object)',
      'del: − city',
      'span: price: int64 → float64',
      'span: 1,200 more rows'
    ]);
  });

  it('says how many columns it doesn’t list', () => {
    const column = { name: 'a', dtype: 'int64' };
    expect(
      texts({
        added: [column],
        addedCount: 3,
        removedCount: 1,
        retypedCount: 2
      })
    ).toEqual([
      'ins: + a (int64)',
      'ins: 2 more new columns',
      'del: 1 more removed column',
      'span: 2 more new types'
    ]);
  });

  it('describes another class, and fewer rows and columns', () => {
    expect(
      texts({
        kind: { before: 'pandas.DataFrame', after: 'polars.DataFrame' },
        columns: { before: 500, after: 499 },
        rows: { before: 3, after: 1 }
      })
    ).toEqual([
      'span: pandas.DataFrame → polars.DataFrame',
      'span: 1 column fewer',
      'span: 2 rows fewer'
    ]);
  });
});
