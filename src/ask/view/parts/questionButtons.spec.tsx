import { PageConfig } from '@jupyterlab/coreutils';
import { act } from 'react';

import { button, setState, setup } from '../promptRow.fakes';
import { frameOf } from '../../../kernel/request.fakes';

const DF = frameOf('df', 3, { city: 'object', price: 'float64' });
const KERNEL = { frames: [DF], variables: [] };
const COMPARE = 'Compare price by city';

afterEach(() => {
  jest.restoreAllMocks();
  document.body.replaceChildren();
});

describe('QuestionButtons', () => {
  it('fill the empty input field without sending the request', async () => {
    const t = await setup({ kernel: KERNEL });
    const group = t.row.node.querySelector('[role="group"]');
    expect(group?.getAttribute('aria-label')).toBe('Suggested requests');
    expect(group?.querySelectorAll('button')).toHaveLength(2);
    await act(async () => button(t.row, COMPARE)?.click());
    expect(t.field.value).toBe(COMPARE);
    expect(document.activeElement).toBe(t.field);
    expect(t.ask).not.toHaveBeenCalled();
    expect(button(t.row, COMPARE)).toBeUndefined();
    await t.type('');
    expect(button(t.row, COMPARE)).toBeDefined();
    await t.type('p');
    expect(button(t.row, COMPARE)).toBeUndefined();
  });

  it('are not offered in a cell with code, or without DataFrames', async () => {
    const withCode = await setup({ kernel: KERNEL, source: 'x = 1' });
    expect(button(withCode.row, COMPARE)).toBeUndefined();
    const withoutFrames = await setup();
    expect(
      withoutFrames.row.node.querySelector('.jp-AIServer-Ask-questions')
    ).toBeNull();
  });

  it('disappear with the DataFrame, and during a request', async () => {
    const t = await setup({ kernel: KERNEL });
    await act(async () => t.model.removeDataFrame('df'));
    await t.settle();
    expect(button(t.row, COMPARE)).toBeUndefined();
    const other = await setup({ kernel: KERNEL });
    expect(button(other.row, COMPARE)).toBeDefined();
    await act(async () => {
      setState(other.model, { phase: 'waiting' });
      other.row.update();
    });
    await other.settle();
    expect(button(other.row, COMPARE)).toBeUndefined();
  });

  it('offer joins whose keys the kernel has found', async () => {
    const key = { left: 'df', leftColumn: 'id', right: 'b', rightColumn: 'id' };
    const t = await setup({
      kernel: { frames: [DF, { ...DF, name: 'b' }], variables: [] },
      joinKeys: [{ ...key, share: 1 }]
    });
    await act(async () => {
      t.model.setState({ dataframes: [DF, { ...DF, name: 'b' }] });
    });
    await t.settle();
    const join = button(t.row, 'Join df and b on id');
    expect(join?.title).toBe('100% of the values occur in both');
    await act(async () => join?.click());
    expect(t.field.value).toBe('Join df and b on id');
  });

  it('ask about a mentioned DataFrame, whose mention stays', async () => {
    const t = await setup({ kernel: KERNEL });
    await t.type('@df ');
    await act(async () => button(t.row, COMPARE)?.click());
    expect(t.field.value).toBe(`@df ${COMPARE}`);
  });
});

const SALES = {
  name: 'data/my sales.csv',
  tables: [
    {
      name: '',
      hasHeader: true,
      columns: [
        { name: 'date', dtype: 'object' },
        ...DF.columns,
        { name: 'customer_id', dtype: 'int64' }
      ]
    }
  ]
};
const CUSTOMERS = {
  name: 'customers.db',
  tables: [
    {
      name: 'customers',
      hasHeader: true,
      columns: [{ name: 'id', dtype: 'INTEGER' }]
    }
  ]
};
const FILES = [SALES, CUSTOMERS];
const MENTION = '@"data/my sales.csv"';

describe('QuestionButtons about data files', () => {
  const describeFiles = jest.fn(async (names: string[]) =>
    FILES.filter(({ name }) => names.includes(name))
  );
  beforeEach(() => describeFiles.mockClear());
  afterEach(() => PageConfig.setOption('aiserverFeatures', ''));

  it('come from the columns of a mentioned file, and send nothing', async () => {
    const t = await setup({ describeFiles });
    await t.type(`${MENTION} `);
    await t.settle();
    expect(describeFiles.mock.calls).toEqual([[['data/my sales.csv']]]);
    await act(async () => button(t.row, 'How does price')?.click());
    const trend = `/visualise ${MENTION} How does price change over time?`;
    expect(t.field.value).toBe(trend);
    expect(t.ask).not.toHaveBeenCalled();
    expect(button(t.row, COMPARE)).toBeUndefined();
    await t.type(MENTION);
    await t.settle();
    await act(async () => button(t.row, COMPARE)?.click());
    expect(t.field.value).toBe(`${MENTION} ${COMPARE}`);
  });

  it('offer to join two files by the names of their keys', async () => {
    const t = await setup({ describeFiles });
    await t.type(`${MENTION} @customers.db`);
    await t.settle();
    const text = 'Join my sales and customers on customer_id = id';
    expect(button(t.row, text)?.title).toBe('');
    expect(button(t.row, COMPARE)).toBeUndefined();
    await act(async () => button(t.row, text)?.click());
    expect(t.field.value).toBe(`${MENTION} @customers.db ${text}`);
  });

  it.each([
    ['a typed question', `${MENTION} mean`, {}],
    ['a file that is no data', '@notes.md', {}],
    ['another mention', `${MENTION} @notes.md`, {}],
    ['code in the cell', MENTION, { source: 'x = 1' }]
  ])('are not requested with %s', async (_, text, options) => {
    const t = await setup({ describeFiles, ...options });
    await t.type(text);
    await t.settle();
    expect(describeFiles).not.toHaveBeenCalled();
    expect(button(t.row, COMPARE)).toBeUndefined();
  });

  it('are not requested if the administrator forbids files', async () => {
    PageConfig.setOption('aiserverFeatures', '{"files": "forbidden"}');
    const t = await setup({ describeFiles });
    await t.type(MENTION);
    await t.settle();
    expect(describeFiles).not.toHaveBeenCalled();
  });

  it('are left out with a DataFrame, and if the server can’t be reached', async () => {
    const t = await setup({ describeFiles, kernel: KERNEL });
    await t.type(MENTION);
    await t.settle();
    expect(button(t.row, COMPARE)).toBeDefined();
    await act(async () => t.model.setState({ dataframes: [DF] }));
    await t.settle();
    expect(button(t.row, COMPARE)).toBeUndefined();
    const offline = await setup({
      describeFiles: () => Promise.reject(new Error('offline'))
    });
    await offline.type(MENTION);
    await offline.settle();
    expect(button(offline.row, 'Describe')).toBeUndefined();
  });
});
