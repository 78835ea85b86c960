import {
  correctObvious,
  offsetOf,
  replaceName,
  withFirstLine
} from './problems';

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

it('puts a line before the code, but below a cell magic', () => {
  expect(withFirstLine('x', 'import re')).toBe('import re\nx');
  expect(withFirstLine('%%time\nx', 'import re')).toBe('%%time\nimport re\nx');
});

it('makes the obvious corrections', () => {
  const code = 'df["价"] + np.pi + np.e + df["a"] + stat';
  const at = (name: string, column: number, length: number) =>
    problem(name, 1, column, column + length);
  expect(
    correctObvious(code, [
      { ...at('价', 3, 3), candidates: ['价格'], correction: '价格' },
      { ...at('np', 10, 2), import: 'import numpy as np' },
      { ...at('np', 18, 2), import: 'import numpy as np' },
      { ...at('a', 28, 3), candidates: ['b'], correction: '' },
      { ...at('stat', 35, 4), candidates: ['star'], import: 'import stat' }
    ])
  ).toEqual({
    code: 'import numpy as np\ndf["价格"] + np.pi + np.e + df["a"] + stat',
    corrections: ['价 → 价格', 'import numpy as np']
  });
});

it('leaves a name that a cell above defines', () => {
  const name = { ...problem('sales', 1, 0, 5), isDefinedAbove: true };
  const problems = [
    { ...name, correction: 'sale', candidates: ['sale'] },
    { ...name, import: 'import sales' }
  ];
  expect(correctObvious('sales', problems)).toEqual({
    code: 'sales',
    corrections: []
  });
});

it('lists a correction only if it is made', () => {
  const code = 'df[df["n"].str[0] == "1"]["day"].dt';
  const at = (name: string, correction: string) => ({
    ...problem(name, 1, code.indexOf(name), code.indexOf(name) + name.length),
    correction
  });
  const inner = at('df["n"]', 'df["n"].astype(str)');
  const outer = {
    ...at('df[df["n"].str[0] == "1"]["day"]', 'pd.to_datetime(x)'),
    column: 0
  };
  expect(correctObvious(code, [outer, inner])).toEqual({
    code: code.replace('df["n"]', 'df["n"].astype(str)'),
    corrections: ['df["n"] → df["n"].astype(str)']
  });
});
