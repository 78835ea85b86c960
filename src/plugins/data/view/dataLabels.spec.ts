import { nullTranslator } from '@jupyterlab/translation';

import { frameOf } from '../model/data.fakes';
import { itemShape, memoryText, numberText, percentText } from './dataLabels';

const trans = nullTranslator.load('aiserver');

describe('the texts of the data view', () => {
  it.each([
    [0, '0 KB'],
    [512, '0.5 KB'],
    [85_536, '84 KB'],
    [1024 * 1010, '1 MB'],
    [3e9, '2.8 GB'],
    [null, '']
  ])('formats %j bytes', (bytes, text) => {
    expect(memoryText(bytes, trans)).toBe(text);
  });

  it.each([
    [0.42, '0.42'],
    [29.69911764, '29.6991'],
    [1234567, '1,234,567'],
    [1.5e-9, '1.5E-9'],
    [0, '0'],
    [null, '–'],
    ['2024-01-01T00:00:00', '2024-01-01'],
    ['2024-01-01T09:30:00', '2024-01-01T09:30:00']
  ])('formats the number %j', (value, text) => {
    expect(numberText(value, trans)).toBe(text);
  });

  it.each([
    [0, 891, '0%'],
    [1, 891, '<1%'],
    [177, 891, '20%'],
    [890, 891, '>99%'],
    [891, 891, '100%'],
    [0, 0, '0%']
  ])('formats %j of %j', (count, total, text) => {
    expect(percentText(count, total, trans)).toBe(text);
  });

  it('describes sizes that aren’t computed', () => {
    const shape = (rowCount: number | null, columnCount: number | null) =>
      itemShape(frameOf('df', {}, { rowCount, columnCount }), trans);
    expect(shape(891, 12)).toBe('891 rows × 12 columns');
    expect(shape(null, 12)).toBe('12 columns');
    expect(shape(1, null)).toBe('1 row');
    expect(shape(null, null)).toBe('');
  });
});
