import { offsetOf, replaceName, withInstall } from './problems';

const problem = (
  name: string,
  line: number,
  column: number,
  endColumn: number
) => ({
  name,
  line,
  column,
  endLine: line,
  endColumn,
  kind: 'missing_column',
  message: '',
  candidates: []
});

describe('replaceName', () => {
  it.each([
    ['df["prise"]', problem('prise', 1, 3, 10), 'price', 'df["price"]'],
    ['df.prise', problem('prise', 1, 3, 8), 'price', 'df.price'],
    ["x\ndf['it']", problem('it', 2, 3, 7), "it's", "x\ndf['it\\'s']"],
    ['"😀"; df["价"]', problem('价', 1, 8, 11), '价格', '"😀"; df["价格"]'],
    [
      'import skleran',
      problem('skleran', 1, 0, 14),
      'sklearn',
      'import sklearn'
    ],
    ['df["a"]', problem('b', 1, 3, 6), 'c', 'df["a"]']
  ])('in %j', (code, at, candidate, expected) => {
    expect(replaceName(code, at, candidate)).toBe(expected);
  });
});

it('finds the offset of a position, and stays inside the code', () => {
  expect(offsetOf('a\n😀b', 2, 1)).toBe(4);
  expect(offsetOf('a', 9, 9)).toBeLessThanOrEqual(1);
});

it('installs a package before the code', () => {
  expect(withInstall('x', 'polars')).toBe('%pip install polars\nx');
});
