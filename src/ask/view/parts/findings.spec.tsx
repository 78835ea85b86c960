import { act } from 'react';

import type { IProblem, IWarning } from '../../../kernel/check';
import type { ISignal } from '../../../kernel/signals';
import { button, setState, setup, suggest } from '../promptRow.fakes';

const POSITION = { line: 1, column: 0, endLine: 1, endColumn: 5 };
const ABOVE: IProblem = {
  ...POSITION,
  kind: 'undefined_name',
  name: 'sales',
  message: '',
  candidates: ['sale'],
  isDefinedAbove: true
};
const PACKAGE: IProblem = {
  ...POSITION,
  kind: 'missing_module',
  name: 'openpyxl',
  message: '',
  candidates: [],
  package: 'openpyxl'
};
const REPLACED: IWarning = {
  ...POSITION,
  kind: 'replaced',
  name: 'sales',
  rows: 400,
  width: 7,
  labels: [],
  otherName: 'sales_by_region',
  uses: [
    [1, 0],
    [2, 0]
  ],
  isInOtherCells: true
};

afterEach(() => {
  jest.restoreAllMocks();
  document.body.replaceChildren();
});

const labels = (t: Awaited<ReturnType<typeof setup>>) =>
  [...t.row.node.querySelectorAll('.jp-AIServer-Ask-bar button')].map(
    node => node.textContent
  );

describe('the error below the cell', () => {
  it('offers to install a package first, as a diff without a request', async () => {
    const t = await setup({
      source: 'df.to_excel("a")',
      error: "ModuleNotFoundError: No module named 'openpyxl'",
      problems: Promise.resolve([PACKAGE])
    });
    await t.settle();
    expect(labels(t).slice(2, 4)).toEqual(['%pip install openpyxl', 'Fix it']);
    await act(async () => button(t.row, '%pip install openpyxl')?.click());
    await t.settle();
    expect(t.model.state.code).toBe('%pip install openpyxl\ndf.to_excel("a")');
    expect(button(t.row, 'Accept')).toBeDefined();
    expect(button(t.row, 'Regenerate')).toBeUndefined();
    expect(t.row.node.textContent).not.toContain('Request 1');
    expect(document.activeElement).toBe(t.field);
    expect(t.ask).not.toHaveBeenCalled();
  });

  it('offers to run the cells above; the row keeps the focus (P48)', async () => {
    const t = await setup({
      error: "NameError: name 'sales' is not defined",
      problems: Promise.resolve([ABOVE])
    });
    await t.settle();
    const above = button(t.row, 'Run the cells above');
    above?.focus();
    await act(async () => above?.click());
    expect(t.services.runCellsAbove).toHaveBeenCalledWith('c1');
    expect(document.activeElement).toBe(t.field);
    expect(t.ask).not.toHaveBeenCalled();
  });

  it('offers only a request if nothing else helps', async () => {
    const t = await setup({
      error: 'ValueError: x',
      problems: Promise.resolve([PACKAGE])
    });
    await t.settle();
    expect(labels(t).slice(2, 3)).toEqual(['Fix it']);
  });
});

describe('the problems of a suggestion', () => {
  it('offers to run the cells above instead of a repair', async () => {
    const t = await setup();
    suggest(t.model);
    setState(t.model, { problems: [ABOVE] });
    t.row.update();
    await t.settle();
    expect(button(t.row, 'sale')).toBeUndefined();
    expect(button(t.row, 'Ask for a repair')).toBeUndefined();
    await act(async () => button(t.row, 'Run the cells above')?.click());
    expect(t.services.runCellsAbove).toHaveBeenCalledWith('c1');
    expect(document.activeElement).toBe(t.field);
  });
});

describe('what a suggestion would overwrite', () => {
  const CODE = 'sales = sales.groupby("region").sum()\nsales.plot()';

  async function warned(change: Partial<IWarning> = {}) {
    const t = await setup();
    suggest(t.model);
    setState(t.model, { code: CODE, warnings: [{ ...REPLACED, ...change }] });
    t.row.update();
    await t.settle();
    return t;
  }

  it('is said before Accept, which stays possible', async () => {
    const t = await warned();
    const list = t.row.node.querySelector('[role="status"] ul');
    expect(list?.textContent).toContain(
      'This replaces “sales” (400 × 7). Other cells use it.'
    );
    expect(button(t.row, 'Accept')?.disabled).toBe(false);
    expect(button(t.row, 'Ask for a repair')).toBeUndefined();
  });

  it('can be avoided by another name', async () => {
    const t = await warned();
    await act(async () => button(t.row, 'Name it “sales_by_region”')?.click());
    await t.settle();
    expect(t.model.state.code).toBe(
      'sales_by_region = sales.groupby("region").sum()\nsales_by_region.plot()'
    );
    expect(document.activeElement).toBe(t.field);
    expect(button(t.row, 'Name it')).toBeUndefined();
  });

  it.each<[Partial<IWarning>, string]>([
    [{ kind: 'replaced' }, 'This replaces “sales” (400 × 7).'],
    [
      { kind: 'reloaded' },
      'This loads “sales” again, and replaces the present one (400 × 7).'
    ],
    [{ kind: 'deleted' }, 'This deletes “sales” (400 × 7).'],
    [{ kind: 'changed' }, 'This changes “sales” (400 × 7) in place.'],
    [
      { kind: 'columns', labels: ['a', '<b>'] },
      'This overwrites “a”, “<b>” in “sales”.'
    ],
    [{ kind: 'file', name: 'a.csv' }, 'This overwrites the file “a.csv”.']
  ])('%j', async (change, sentence) => {
    const t = await warned({ ...change, isInOtherCells: false });
    expect(t.row.node.textContent).toContain(sentence);
  });
});

describe('what a suggestion makes of the data', () => {
  it.each<[Partial<ISignal>, string]>([
    [{ kind: 'empty' }, 'The result is empty.'],
    [{ kind: 'empty', name: 'df' }, '“df” is empty.'],
    [{ kind: 'missing_result' }, 'The result is a missing value.'],
    [
      { kind: 'all_missing', name: 'df', labels: ['a', '<b>'] },
      'In “df”, all values of “a”, “<b>” are missing.'
    ],
    [
      { kind: 'all_missing', name: 's', labels: [''] },
      'In “s”, all values are missing.'
    ],
    [{ kind: 'unchanged', name: 'df' }, '“df” is the same as before.'],
    [
      { kind: 'multiplied', labels: ['city'], before: 3, after: 9000 },
      '3 rows become 9,000: “city” is several times on both sides.'
    ],
    [
      { kind: 'lost', name: 'df', labels: ['city'], before: 40, after: 30 },
      '10 of 40 rows of “df” have no match, so they are dropped.'
    ],
    [
      { kind: 'lost', before: 40, after: 30 },
      '10 of 40 rows have no match, so they are dropped.'
    ],
    [
      { kind: 'counted_twice', labels: ['price'] },
      'The merge repeats “price”, so the result counts some values more than once.'
    ],
    [
      { kind: 'not_used', labels: ['age'] },
      'You named “age”, which the code doesn’t use.'
    ]
  ])('%j', async (change, sentence) => {
    const t = await setup();
    suggest(t.model);
    const signal = { kind: '', name: '', labels: [], before: 0, after: 0 };
    setState(t.model, { code: 'x', signals: [{ ...signal, ...change }] });
    t.row.update();
    await t.settle();
    const list = t.row.node.querySelector('[role="status"] ul');
    expect(list?.textContent).toBe(sentence);
    expect(button(t.row, 'Accept')?.disabled).toBe(false);
    expect(button(t.row, 'Ask for a repair')).toBeUndefined();
  });
});
