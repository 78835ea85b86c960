import { MessageLoop } from '@lumino/messaging';
import { act } from 'react';

import { setFeatures } from '../../../state/features.fakes';
import { LOCAL, setup } from '../promptRow.fakes';
import { frameOf } from '../../../kernel/request.fakes';

afterEach(() => {
  setFeatures();
  jest.restoreAllMocks();
  document.body.replaceChildren();
});

const FRAME = frameOf('sales', 9, { price: 'float64' });
const kernel = { frames: [FRAME], variables: [] };
const REMOTE = { ...LOCAL, id: 'a:b', provider: 'a', onThisMachine: false };
const VALUES = {
  columns: [],
  sample: { columns: ['price'], rows: [['canary']] }
};

async function opened(
  model = REMOTE,
  values: typeof VALUES | null = VALUES,
  frame: object = FRAME
) {
  const dataValues = async () => values;
  const read = { ...kernel, frames: [frame as typeof FRAME] };
  const t = await setup({ models: [model], kernel: read, dataValues });
  await act(async () => t.model.readKernel());
  await t.settle();
  const menu = () => t.row.node.querySelector('select');
  const hint = () =>
    t.row.node.querySelector('.jp-AIServer-Ask-hint')?.textContent;
  const choose = async (value: string) => {
    const select = menu()!;
    await act(async () => {
      select.value = value;
      select.dispatchEvent(new Event('change', { bubbles: true }));
      MessageLoop.flush();
    });
    await t.settle();
  };
  const title = () =>
    t.row.node.querySelector<HTMLElement>('.jp-AIServer-Ask-chip')?.title;
  return { ...t, menu, hint, title, choose };
}

it('no chip is shown next to a line to add, which no model gets', async () => {
  const t = await opened();
  await act(async () => t.model.setState({ dataframes: [FRAME] }));
  await t.settle();
  expect(t.title()).toBeDefined();
  await act(async () => t.model.setState({ isRemedy: true }));
  await t.settle();
  expect(t.title()).toBeUndefined();
  await t.type('and plot it');
  expect(t.title()).toBeDefined();
});

describe('the menu of a DataFrame’s privacy level', () => {
  it('has a name and three levels, and says what is sent at each (P15)', async () => {
    const t = await opened();
    const select = t.menu()!;
    expect(select.getAttribute('aria-label')).toBe(
      'What the model gets of sales'
    );
    expect([...select.options].map(({ text }) => text)).toEqual([
      'Columns only',
      'Statistics',
      '5 rows'
    ]);
    expect(select.value).toBe('schema');
    expect(t.hint()).toBe('Only column names and types are sent.');
    await t.choose('statistics');
    expect(t.menu()!.value).toBe('statistics');
    expect(t.hint()).toContain('statistics are sent to the remote model');
    expect(t.hint()).toContain('but no texts');
    await t.choose('sample');
    expect(t.hint()).toContain('The first rows are sent to the remote model');
    await t.choose('schema');
    expect(t.hint()).toBe('Only column names and types are sent.');
  });

  it('says that a local model gets a few values with the columns', async () => {
    const columns = [{ name: 'city', dtype: 'object', examples: ['Oslo'] }];
    const t = await opened(LOCAL, VALUES, { ...FRAME, columns });
    expect(t.menu()!.options[0].text).toBe('Columns, a few values');
    expect(t.title()).toContain('column names, types and a few values.');
  });

  it('stays at “Columns only” if the kernel is busy, and says so', async () => {
    const t = await opened(REMOTE, null);
    await t.choose('statistics');
    expect(t.menu()!.value).toBe('schema');
    expect(t.hint()).toBe(
      'Only column names and types are sent. The values of sales could not be read, so they are not sent. If the kernel is busy, try again when it is idle.'
    );
  });

  it('doesn’t take a level that was chosen for a local model as one for others', async () => {
    const t = await opened(LOCAL);
    await t.choose('sample');
    expect(t.menu()!.value).toBe('sample');
    expect(t.title()).toContain('The model sees');
    await act(async () => t.model.setState({ model: REMOTE }));
    await t.settle();
    expect(t.menu()!.value).toBe('schema');
    expect(t.hint()).toBe('Only column names and types are sent.');
  });

  it('leaves the keys of the menu to the menu', async () => {
    const t = await opened();
    for (const init of [
      { key: 'ArrowDown', altKey: true },
      { key: 'ArrowUp' }
    ]) {
      const event = new KeyboardEvent('keydown', {
        ...init,
        bubbles: true,
        cancelable: true
      });
      await act(async () => void t.menu()!.dispatchEvent(event));
      expect(event.defaultPrevented).toBe(false);
    }
  });

  it.each([
    [REMOTE, false],
    [LOCAL, true]
  ])(
    'explains what the administrator has forbidden',
    async (model, isShown) => {
      setFeatures({ data_values: 'forbidden' });
      const t = await opened(model);
      expect(!!t.menu()).toBe(isShown);
      expect(!!t.hint()?.includes('Your administrator')).toBe(!isShown);
    }
  );
});
