import type { IWarning } from '../kernel/check';
import { definesName, mentionsName, withOtherCells } from './namesInCells';

it.each([
  ['sales.head()', 'sales', true],
  ['my_sales', 'sales', false],
  ['sales2', 'sales', false],
  ['价格 = 1', '价格', true],
  ['新价格 = 1', '价格', false]
])('a cell with %j mentions %s: %s', (code, name, expected) => {
  expect(mentionsName(code, name)).toBe(expected);
});

it.each([
  'sales = 1',
  'x = 1\nsales = 2',
  'a, sales = 1, 2',
  '(a, sales) = 1, 2',
  'sales, *rest = 1, 2',
  'a = sales = 1',
  'import sales',
  'import os, sales',
  'import x.y as sales',
  'from a import b, sales',
  'from a import (b, sales)',
  'from a import b as sales  # for later',
  'def sales(x):',
  'class sales:',
  'async def sales():'
])('code that defines a name: %j', code => {
  expect(definesName(code, 'sales')).toBe(true);
});

it.each([
  'print(sales)',
  'sales == 1',
  'sales["x"] = 1',
  'sales.x = 1',
  'x = sales',
  'f(sales=1)',
  '    sales = 1',
  'sales += 1',
  'my_sales = 1',
  'import sales_data',
  'import x.sales as y',
  'from sales import x',
  '# sales = 1',
  "x['sales'] = 1"
])('code that does not define a name: %j', code => {
  expect(definesName(code, 'sales')).toBe(false);
});

const position = { line: 1, column: 0, endLine: 1, endColumn: 5 };
const problem = { ...position, message: '', candidates: [] };
const warning: IWarning = {
  ...position,
  kind: 'replaced',
  name: 'sales',
  rows: 400,
  width: 7,
  labels: [],
  otherName: 'sales_2',
  uses: [[1, 0]]
};

it('marks what other cells define and use', () => {
  const name = { ...problem, kind: 'undefined_name', name: 'sales' };
  const column = { ...problem, kind: 'missing_column', name: 'sales' };
  const { problems } = withOtherCells(
    {
      problems: [name, column, { ...name, name: 'x' }],
      warnings: [],
      signals: []
    },
    ['sales = 1'],
    []
  );
  expect(problems.map(item => item.isDefinedAbove)).toEqual([
    true,
    undefined,
    undefined
  ]);
  const mark = (others: string[], change: Partial<IWarning> = {}) =>
    withOtherCells(
      { problems: [], warnings: [{ ...warning, ...change }], signals: [] },
      [],
      others
    ).warnings[0];
  expect(mark(['sales.plot()']).isInOtherCells).toBe(true);
  expect(mark(['other']).isInOtherCells).toBe(false);
  expect(mark(['sales'], { kind: 'file' }).isInOtherCells).toBe(false);
});

it('offers no name that another cell has', () => {
  const otherName = (name: string, others: string[]) =>
    withOtherCells(
      {
        problems: [],
        warnings: [{ ...warning, otherName: name }],
        signals: []
      },
      [],
      others
    ).warnings[0].otherName;
  expect(otherName('sales_2', ['sales_3 = 1'])).toBe('sales_2');
  expect(otherName('sales_2', ['sales_2 = 1'])).toBe('');
  expect(otherName('', [''])).toBe('');
});
