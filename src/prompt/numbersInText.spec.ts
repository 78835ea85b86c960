import * as fc from 'fast-check';

import { numbersInText, unsupportedNumbers } from './numbersInText';

const values = (text: string) => numbersInText(text).map(({ value }) => value);
const unsupported = (text: string, result: string) =>
  unsupportedNumbers(text, result).map(({ start, end }) =>
    text.slice(start, end)
  );

describe('numbersInText', () => {
  it.each([
    ['1,234.5 and 0.25', [1234.5, 0.25]],
    ['１２．５ 元', [12.5]],
    ['١٢٣', [123]],
    ['3.2万 和 1.5 亿', [32000, 150000000]],
    ['1.2e3, 5E-2', [1200, 0.05]],
    ['column2 x_3 v1.2', []],
    ['12 345', [12, 345]],
    ['2024-01-05', [2024, 1, 5]],
    ['-7 %', [7]]
  ])('reads %s', (text, expected) => {
    expect(values(text)).toEqual(expected.map(value => expect.closeTo(value)));
  });
});

describe('unsupportedNumbers', () => {
  const RESULT =
    'city\n北京    1234.5678\n上海    0.3123\nmean 42.195, n=1,891';

  it.each([
    ['Beijing has 1,234.57, about 1235', []],
    ['北京为 1234.6，上海占 31%', []],
    ['上海占 31.2％，共 1891 个', []],
    ['The mean is 43', ['43']],
    ['北京为 1300', ['1300']],
    ['约12万，均值为43', ['12万', '43']],
    ['The two largest of 5 groups', []],
    ['It fell by 42.2', []],
    ['Shanghai: 32 %', ['32 %']]
  ])('%s', (text, expected) => {
    expect(unsupported(text, RESULT)).toEqual(expected);
  });

  it('accepts each number of the result, rounded to any number of digits', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 1e9, noNaN: true }),
        fc.nat(6),
        (value, digits) =>
          unsupported(value.toFixed(digits), `${value}`).length === 0
      )
    );
  });

  it('rejects numbers that differ by more than rounding', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 11, max: 1_000_000 }),
        fc.integer({ min: 1, max: 1000 }),
        (value, offset) =>
          unsupported(`${value + offset}`, `${value}`).length === 1
      )
    );
  });
});
