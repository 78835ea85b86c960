import { PageConfig } from '@jupyterlab/coreutils';
import { act } from 'react';

import type { IKernelVariables } from '../../../kernel/variables';
import { button, setup } from '../promptRow.fakes';
import { frameOf } from '../../../kernel/request.fakes';

const EMPTY: IKernelVariables = {
  language: 'python',
  frames: [],
  variables: []
};
const DF = frameOf('df', 3, {});
const NAMES = ['.old.csv', 'data/', 'my 销售.csv', 'notes.md', 'shops.xlsx'];
const listFiles = jest.fn(async () => NAMES);

type Options = NonNullable<Parameters<typeof setup>[0]>;

async function open(options: Options = {}) {
  const t = await setup({ kernel: EMPTY, listFiles, ...options });
  await t.settle();
  const labels = () => {
    const group = t.row.node.querySelector('[aria-label="Data files"]');
    const buttons = [...(group?.querySelectorAll('button') ?? [])];
    return buttons.map(({ textContent }) => textContent);
  };
  return { ...t, labels };
}

describe('FileButtons', () => {
  beforeEach(() => listFiles.mockClear());
  afterEach(() => {
    jest.restoreAllMocks();
    PageConfig.setOption('aiserverFeatures', '');
    document.body.replaceChildren();
  });

  it('add the mention of a data file, and send nothing', async () => {
    const t = await open();
    expect(t.labels()).toEqual(['Use my 销售.csv', 'Use shops.xlsx']);
    await act(async () => button(t.row, 'Use my 销售.csv')?.click());
    expect(t.field.value).toBe('@"my 销售.csv" ');
    expect(document.activeElement).toBe(t.field);
    expect(t.ask).not.toHaveBeenCalled();
    expect(t.labels()).toEqual([]);
  });

  it('add it behind a typed request, unless that names a data file', async () => {
    const t = await open();
    await t.type('/visualise prices by city');
    await act(async () => button(t.row, 'Use shops.xlsx')?.click());
    expect(t.field.value).toBe('/visualise prices by city @shops.xlsx ');
    await t.type('plot my 销售.csv');
    expect(t.labels()).toEqual([]);
    await t.type('plot @data/prices.csv');
    expect(t.labels()).toEqual([]);
  });

  it('are at most three', async () => {
    const names = ['1', '2', '3', '4'].map(name => `${name}.csv`);
    const t = await open({ listFiles: async () => names });
    expect(t.labels()).toEqual(['Use 1.csv', 'Use 2.csv', 'Use 3.csv']);
  });

  it.each<[string, Options]>([
    ['with a DataFrame', { kernel: { ...EMPTY, frames: [DF] } }],
    ['until the kernel has replied', { kernel: undefined }],
    ['in a cell with code', { source: 'x = 1' }]
  ])('are not offered %s, and no file is listed', async (_, options) => {
    const t = await open(options);
    expect(t.labels()).toEqual([]);
    expect(listFiles).not.toHaveBeenCalled();
  });

  it('are not offered if the administrator forbids files', async () => {
    PageConfig.setOption('aiserverFeatures', '{"files": "forbidden"}');
    const t = await open();
    expect(t.labels()).toEqual([]);
    expect(listFiles).not.toHaveBeenCalled();
  });

  it('are left out if the folder can’t be read', async () => {
    const t = await open({ listFiles: () => Promise.reject(new Error('404')) });
    expect(t.labels()).toEqual([]);
  });
});
