import type { Kernel } from '@jupyterlab/services';

import { listData, listLazyColumns, profileColumns } from './profile';
import { callFunction } from './request';

jest.mock('./request');
jest.mock('./profileCode', () => ({ PROFILE: 'def list_data' }));

const KERNEL = {} as Kernel.IKernelConnection;
const call = jest.mocked(callFunction);

const ITEM = {
  name: '销售',
  kind: 'pandas.DataFrame',
  rowCount: 891,
  columnCount: 2,
  bytes: 85536,
  isLazy: false,
  columns: [
    { name: '价格', dtype: 'float64' },
    { name: 'city', dtype: 'object' }
  ],
  identity: '7f01'
};
const COLUMN = {
  index: 0,
  name: '价格',
  dtype: 'float64',
  rows: 891,
  missing: 177,
  distinct: 88,
  numbers: { min: 0.5, max: 80, mean: 29, std: 14, quartiles: [20, 28, null] },
  histogram: { min: 0.5, max: 80, counts: [1, 4] },
  top: [{ value: 'S', count: 644 }]
};

describe('listData', () => {
  it('lists the data with null for what the kernel did not compute', async () => {
    call.mockResolvedValue({
      items: [
        ITEM,
        { ...ITEM, rowCount: null, bytes: undefined, isLazy: true },
        { ...ITEM, columns: [], columnCount: null, shape: [2, 3, 4] }
      ],
      isComplete: true
    });
    const { items, isComplete } = await listData(KERNEL, 'python');
    const [kernel, language, loadPython, name] = call.mock.calls[0];
    expect([kernel, language, name]).toEqual([KERNEL, 'python', 'list_data']);
    expect(await loadPython()).toBe('def list_data');
    expect(isComplete).toBe(true);
    expect(items[0]).toEqual({ ...ITEM, shape: null });
    expect(items[1]).toMatchObject({ rowCount: null, bytes: null });
    expect(items[2].shape).toEqual([2, 3, 4]);
  });

  it.each([[null], [3], [{}], [{ items: {} }]])(
    'rejects an invalid reply: %j',
    async value => {
      call.mockResolvedValue(value);
      await expect(listData(KERNEL, 'python')).rejects.toThrow('no list');
    }
  );

  it('leaves out what is invalid, and keeps the positions of columns', async () => {
    call.mockResolvedValue({
      items: [
        null,
        { ...ITEM, name: 3 },
        { ...ITEM, identity: undefined },
        {
          ...ITEM,
          rowCount: -1,
          columnCount: 1.5,
          bytes: '9',
          isLazy: 'yes',
          shape: [2, 'x'],
          columns: [null, { name: 'a', dtype: 1 }]
        }
      ]
    });
    expect(await listData(KERNEL, 'python')).toEqual({
      isComplete: false,
      items: [
        {
          ...ITEM,
          rowCount: null,
          columnCount: null,
          bytes: null,
          shape: null,
          columns: [
            { name: '', dtype: '' },
            { name: 'a', dtype: '' }
          ]
        }
      ]
    });
  });
});

describe('profileColumns', () => {
  it('passes the name as a literal, and reads the profiles', async () => {
    const dates = { min: '2024-01-01', max: '2024-02-01' };
    call.mockResolvedValue({
      rowCount: 891,
      next: 7,
      columns: [COLUMN, { ...COLUMN, index: 6, dates, note: 'objects' }]
    });
    const name = 'df"); x = ("';
    expect(await profileColumns(KERNEL, 'r', name, 0, 9)).toEqual({
      rowCount: 891,
      next: 7,
      columns: [COLUMN, { ...COLUMN, index: 6, dates, note: 'objects' }]
    });
    expect(call.mock.lastCall?.slice(3)).toEqual([
      'profile_columns',
      name,
      0,
      9
    ]);
  });

  it('returns null if the variable has disappeared', async () => {
    call.mockResolvedValue({ problem: 'missing' });
    expect(await profileColumns(KERNEL, 'r', 'df', 0, 9)).toBeNull();
  });

  it('rejects an invalid reply', async () => {
    call.mockResolvedValue({ columns: 'all' });
    await expect(profileColumns(KERNEL, 'r', 'df', 0, 9)).rejects.toThrow(
      'no profiles'
    );
  });

  it('leaves out what is invalid', async () => {
    call.mockResolvedValue({
      rowCount: 'many',
      next: -1,
      columns: [
        null,
        { ...COLUMN, index: -1 },
        { ...COLUMN, rows: null },
        {
          ...COLUMN,
          missing: 'none',
          distinct: NaN,
          numbers: { min: 'a', quartiles: 'b' },
          dates: { min: 1, max: 2 },
          histogram: { min: 0, max: 1, counts: [1, -1] },
          top: [null, { value: 1, count: 1 }, { value: 'S', count: 2 }],
          note: 5
        }
      ]
    });
    const { rowCount, next, columns } = (await profileColumns(
      KERNEL,
      'r',
      'df',
      0,
      9
    ))!;
    expect([rowCount, next]).toEqual([null, null]);
    expect(columns).toEqual([
      {
        index: 0,
        name: '价格',
        dtype: 'float64',
        rows: 891,
        missing: null,
        distinct: null,
        numbers: {
          min: null,
          max: null,
          mean: null,
          std: null,
          quartiles: []
        },
        top: [{ value: 'S', count: 2 }]
      }
    ]);
  });
});

describe('listLazyColumns', () => {
  it('returns the columns, or null if the kernel cannot tell them', async () => {
    call.mockResolvedValue({ columns: [{ name: 'a', dtype: 'Int64' }, null] });
    expect(await listLazyColumns(KERNEL, 'python', 'lf')).toEqual([
      { name: 'a', dtype: 'Int64' },
      { name: '', dtype: '' }
    ]);
    expect(call.mock.lastCall?.slice(3)).toEqual(['list_lazy_columns', 'lf']);
    call.mockResolvedValue({ problem: 'unreadable' });
    expect(await listLazyColumns(KERNEL, 'python', 'lf')).toBeNull();
  });
});
