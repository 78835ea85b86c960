import type { Kernel } from '@jupyterlab/services';

import { readDataValues } from './dataValues';
import { profileColumns } from './profile';
import { callFunction } from './request';

jest.mock('./request');
jest.mock('./profile');

const KERNEL = {} as Kernel.IKernelConnection;
const call = jest.mocked(callFunction);
const profile = jest.mocked(profileColumns);

const column = (index: number, more = {}) => ({
  index,
  name: `c${index}`,
  dtype: 'float64',
  rows: 9,
  missing: 1,
  distinct: 7,
  top: [{ value: 'canary', count: 3 }],
  histogram: { min: 0, max: 9, counts: [1, 8] },
  ...more
});
const numbers = { min: 0, max: 9, mean: 4, std: 1, quartiles: [2, 4, 6] };
const pages = (...profiles: object[]) =>
  profiles.forEach(result =>
    profile.mockResolvedValueOnce({ rowCount: 9, ...result } as never)
  );

beforeEach(() => jest.resetAllMocks());

describe('readDataValues', () => {
  it('reads the statistics of all columns, but no frequent values (P15)', async () => {
    pages(
      { next: 2, columns: [column(0, { numbers }), column(1)] },
      {
        next: null,
        columns: [
          column(2, {
            dates: { min: '2024-01-01', max: '2024-12-31T10:00:00' }
          }),
          column(3, { dates: { min: 'canary', max: '2024-12-31' } }),
          column(4, { numbers: { ...numbers, quartiles: [2, null, 6] } })
        ]
      }
    );
    const values = await readDataValues(KERNEL, 'r', 'df', 'statistics');
    const counts = { rows: 9, missing: 1, distinct: 7 };
    expect(values?.columns.map(({ statistics }) => statistics)).toEqual([
      { ...counts, min: 0, max: 9, mean: 4, quartiles: [2, 4, 6] },
      counts,
      { ...counts, min: '2024-01-01', max: '2024-12-31T10:00:00' },
      counts,
      { ...counts, min: 0, max: 9, mean: 4 }
    ]);
    expect(JSON.stringify(values)).not.toContain('canary');
    expect(profile.mock.calls.map(([, ...rest]) => rest)).toEqual([
      ['r', 'df', 0, 200],
      ['r', 'df', 2, 198]
    ]);
    expect(values?.sample).toBeNull();
    expect(call).not.toHaveBeenCalled();
  });

  it('reads exactly the first five rows', async () => {
    const rows = [
      ['x', null],
      ['y', '2']
    ];
    call.mockResolvedValue({ columns: ['a', 'b'], rows });
    pages({ next: null, columns: [] });
    const values = await readDataValues(KERNEL, 'r', 'df"', 'sample');
    expect(values?.sample).toEqual({ columns: ['a', 'b'], rows });
    expect(call.mock.calls[0].slice(3)).toEqual(['first_rows', 'df"', 5]);
  });

  it('returns null for a variable that no longer exists', async () => {
    profile.mockResolvedValue(null);
    expect(await readDataValues(KERNEL, 'r', 'df', 'statistics')).toBeNull();
    call.mockResolvedValue({ problem: 'missing' });
    expect(await readDataValues(KERNEL, 'r', 'df', 'sample')).toBeNull();
  });

  it.each([
    [null],
    [{ columns: ['a'] }],
    [{ columns: [1], rows: [] }],
    [{ columns: ['a'], rows: [['x'.repeat(61)]] }],
    [{ columns: ['a'], rows: [[1]] }]
  ])('refuses invalid rows: %j', async result => {
    call.mockResolvedValue(result);
    const reading = readDataValues(KERNEL, 'r', 'df', 'sample');
    await expect(reading).rejects.toThrow('sent no rows');
  });

  it('ends if the kernel makes no progress', async () => {
    profile.mockResolvedValue({ rowCount: 9, next: 0, columns: [] });
    await readDataValues(KERNEL, 'r', 'df', 'statistics');
    expect(profile).toHaveBeenCalledTimes(1);
  });
});
