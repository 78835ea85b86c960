import { nullTranslator } from '@jupyterlab/translation';

import type { ITable } from './columnKinds';
import { suggestQuestions } from './suggestedQuestions';

const trans = nullTranslator.load('aiserver');
const DESCRIBE = 'Describe the columns, missing values and outliers';

/** From columns such as `{price: 'float64'}`. */
function table(name: string, columns: Record<string, string>) {
  return {
    name,
    columns: Object.entries(columns).map(([name, dtype]) => ({ name, dtype }))
  };
}

function texts(...tables: ITable[]): string[] {
  return suggestQuestions(tables, trans).map(({ text }) => text);
}

describe('suggestQuestions', () => {
  it('suggests a plot over time, a comparison and a description', () => {
    const sales = table('sales', {
      order_id: 'int64',
      date: 'datetime64[ns]',
      city: 'object',
      price: 'float64'
    });
    expect(suggestQuestions([sales], trans)).toEqual([
      {
        text: 'How does price change over time?',
        slashWord: '/visualise'
      },
      { text: 'Compare price by city' },
      { text: DESCRIBE }
    ]);
  });

  it.each([
    'Unnamed: 0',
    'Unnamed: 0.1',
    'index',
    'level_0',
    'row_number',
    'rank',
    '序号'
  ])('never asks about the column %s, which only numbers the rows', name => {
    const columns = { [name]: 'int64', Gender: 'object', age: 'int64' };
    expect(texts(table('people', columns))).toEqual([
      'Compare age by Gender',
      DESCRIBE
    ]);
    expect(
      texts(table('people', { [name]: 'int64', Gender: 'object' }))
    ).toEqual([DESCRIBE]);
  });

  it('asks about the amount first, as a person would', () => {
    const columns = {
      shop: 'object',
      latitude: 'float64',
      totalSales: 'float64'
    };
    expect(texts(table('shops', columns))[0]).toBe(
      'Compare totalSales by shop'
    );
  });

  it.each<[string, Record<string, string>, string[]]>([
    ['no columns', {}, []],
    ['texts only', { city: 'object', name: 'str' }, [DESCRIBE]],
    ['numbers only', { a: 'int64', b: 'float32' }, [DESCRIBE]],
    [
      'a date whose dtype is a text',
      { 日期: 'object', 金额: 'float64' },
      ['How does 金额 change over time?', DESCRIBE]
    ],
    [
      'columns of R',
      { sold: 'POSIXct', price: 'numeric', city: 'factor' },
      ['How does price change over time?', 'Compare price by city', DESCRIBE]
    ],
    [
      'a year, which is no quantity',
      { year: 'int64', Population: 'Int64' },
      ['How does Population change over time?', DESCRIBE]
    ],
    [
      'keys, names and long texts, which are no categories or quantities',
      {
        userId: 'int64',
        客户编号: 'int64',
        name: 'object',
        备注: 'object',
        zip: 'object',
        Sex: 'category',
        Age: 'float64'
      },
      ['Compare Age by Sex', DESCRIBE]
    ],
    [
      'a duration, which is no date',
      { waiting_time: 'float64', startTime: 'object' },
      ['How does waiting_time change over time?', DESCRIBE]
    ],
    [
      'dtypes of polars',
      { day: 'Date', kind: 'String', value: 'Decimal(10, 2)' },
      ['How does value change over time?', 'Compare value by kind', DESCRIBE]
    ],
    [
      'words that only look like dates or keys',
      { update: 'object', paid: 'float64', candidate: 'object' },
      ['Compare paid by update', DESCRIBE]
    ],
    [
      'bools and lists, which are neither',
      { ok: 'bool', tags: 'List(String)', n: 'int64' },
      [DESCRIBE]
    ],
    [
      'dtypes of Parquet files',
      { sold: 'datetime64[us, UTC]', count: 'uint8', ok: 'bool' },
      ['How does count change over time?', DESCRIBE]
    ],
    [
      'types of SQLite',
      { sold: 'DATETIME', 金额: 'REAL', 城市: 'varchar(20)', any: 'no type' },
      ['How does 金额 change over time?', 'Compare 金额 by 城市', DESCRIBE]
    ],
    [
      'other types of SQLite',
      { order_date: 'TEXT', amount: 'NUMERIC(10,2)', kind: 'NCHAR(3)' },
      ['How does amount change over time?', 'Compare amount by kind', DESCRIBE]
    ],
    [
      'types of DuckDB',
      { sold: 'TIMESTAMP WITH TIME ZONE', n: 'UBIGINT', size: 'ENUM' },
      ['How does n change over time?', 'Compare n by size', DESCRIBE]
    ],
    [
      'intervals and lists, which are no quantities and categories',
      { span: 'INTERVAL', ages: 'interval[int64, right]', l: 'VARCHAR[]' },
      [DESCRIBE]
    ],
    [
      'a Chinese name with an English ending, which is a key',
      { 客户ID: 'int64', 商品code: 'object', 数量: 'int64', 城市: 'object' },
      ['Compare 数量 by 城市', DESCRIBE]
    ],
    ['a long name', { city: 'object', ['n'.repeat(41)]: 'int64' }, [DESCRIBE]]
  ])('with %s', (_, columns, expected) => {
    expect(texts(table('df', columns))).toEqual(expected);
  });

  it('names no column of a file without a header', () => {
    const columns = [
      { name: '0', dtype: 'object' },
      { name: '1', dtype: 'float64' }
    ];
    const file = { name: 'a', columns, hasHeader: false };
    expect(texts(file)).toEqual([DESCRIBE]);
  });

  it('suggests the joins that the values support, and names why', () => {
    const orders = table('orders', { customer_id: 'int64' });
    const customers = table('customers', { id: 'int64' });
    const key = { left: 'orders', right: 'customers', share: 0.987 };
    const keys = [
      { ...key, leftColumn: 'customer_id', rightColumn: 'id' },
      { ...key, leftColumn: '城市', rightColumn: '城市', share: null },
      { ...key, leftColumn: 'n'.repeat(41), rightColumn: 'id' }
    ];
    expect(suggestQuestions([orders, customers], trans, keys)).toEqual([
      {
        text: 'Join orders and customers on customer_id = id',
        reason: '98% of the values occur in both'
      },
      { text: 'Join orders and customers on 城市' }
    ]);
    expect(texts(orders, customers)).toEqual([]);
    expect(texts()).toEqual([]);
  });
});
