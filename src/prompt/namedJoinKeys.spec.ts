import { namedJoinKeys } from './namedJoinKeys';

type Columns = Record<string, string>;

/** Joins such as `orders.customer_id = customers.id`. */
function keys(tables: Record<string, Columns>, hasHeader = true): string[] {
  const described = Object.entries(tables).map(([name, columns]) => ({
    name,
    hasHeader,
    columns: Object.entries(columns).map(([name, dtype]) => ({ name, dtype }))
  }));
  return namedJoinKeys(described).map(
    ({ left, leftColumn, right, rightColumn, share }) => {
      expect(share).toBeNull(); // No values were compared.
      return `${left}.${leftColumn} = ${right}.${rightColumn}`;
    }
  );
}

describe('namedJoinKeys', () => {
  it.each<[string, Record<string, Columns>, string[]]>([
    [
      'the same key',
      {
        orders: { id: 'int64', customer_id: 'int64', note: 'object' },
        customers: { customer_id: 'int64', note: 'object' }
      },
      ['orders.customer_id = customers.customer_id']
    ],
    [
      'a reference to the id of a table',
      {
        dim_category: { id: 'INTEGER', name: 'TEXT' },
        products: { id: 'INTEGER', categoryId: 'BIGINT' }
      },
      ['dim_category.id = products.categoryId']
    ],
    [
      'Chinese names',
      {
        订单: { 订单编号: 'object', 客户编号: 'object', 金额: 'float64' },
        客户信息表: { 编号: 'object', 城市: 'object' }
      },
      ['订单.客户编号 = 客户信息表.编号']
    ],
    [
      'three tables, the most likely first',
      {
        order_items: { id: 'INT', order_id: 'INT', product_id: 'INT' },
        reviews: { id: 'INT', product_id: 'INT' },
        orders: { id: 'INT', total: 'REAL' },
        products: { product_id: 'INT', price: 'REAL' }
      },
      [
        'order_items.product_id = products.product_id',
        'reviews.product_id = products.product_id',
        'order_items.order_id = orders.id',
        'order_items.product_id = reviews.product_id'
      ]
    ],
    [
      'a code that identifies the same things everywhere',
      { books: { isbn: 'object' }, sales: { ISBN: 'str', n: 'int64' } },
      ['books.isbn = sales.ISBN']
    ]
  ])('finds %s', (_, tables, expected) => {
    expect(keys(tables)).toEqual(expected);
  });

  it.each<[string, Record<string, Columns>]>([
    ['own ids', { orders: { id: 'int64' }, customers: { id: 'int64', a: '' } }],
    ['ids of others', { items: { order_id: 'int' }, users: { id: 'int' } }],
    [
      'common columns that are no keys',
      { a: { city: 'object', x: '' }, b: { city: 'object' } }
    ],
    [
      'other dtypes',
      { a: { user_id: 'int64' }, users: { user_id: 'object', x: '' } }
    ],
    [
      'parts of one table',
      {
        sales_2023: { order_id: 'int64', price: 'float64' },
        sales_2024: { order_id: 'int64', price: 'float64' }
      }
    ],
    ['a table alone', { a: { user_id: 'int64', manager_id: 'int64' } }]
  ])('finds none in %s', (_, tables) => {
    expect(keys(tables)).toEqual([]);
  });

  it('finds none in files without a header', () => {
    const tables = { a: { user_id: 'int64' }, b: { user_id: 'int64', c: '' } };
    expect(keys(tables)).toHaveLength(1);
    expect(keys(tables, false)).toEqual([]);
  });
});
