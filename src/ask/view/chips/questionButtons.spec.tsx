import { act } from 'react';

import { button, setState, setup } from '../promptRow.fakes';

const DF = {
  name: 'df',
  kind: 'pandas.DataFrame',
  rowCount: 3,
  columnCount: 2,
  columns: [
    { name: 'city', dtype: 'object' },
    { name: 'price', dtype: 'float64' }
  ]
};
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
      t.model.setDataFrames([DF, { ...DF, name: 'b' }]);
    });
    await t.settle();
    const join = button(t.row, 'Join df and b on id');
    expect(join?.title).toBe('100% of the values occur in both');
    await act(async () => join?.click());
    expect(t.field.value).toBe('Join df and b on id');
  });
});
