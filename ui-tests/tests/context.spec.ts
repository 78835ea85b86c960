/**
 * What the kernel knows is attached to a request, is shown before, and can be removed.
 */
import { CellUnderTest } from '../fixtures/cells';
import { expect, test } from '../fixtures/lab';
import { code } from '../fixtures/scripted';

const LOAD =
  'import pandas as pd\n销售 = pd.DataFrame({"价格": [1.5, 2.5], "city": ["canary-value", "b"]})\ncosts = pd.DataFrame({"rent": [1]}); rate = 0.19';

test(
  'a DataFrame that the request names is attached, shown and removable (P15)',
  { tag: '@core' },
  async ({ page, lab, openNotebook }) => {
    await openNotebook([LOAD, 'spacer = 1', '']);
    await new CellUnderTest(page, 0).run();
    const cell = new CellUnderTest(page, 2);
    await cell.open();
    const chip = cell.row.locator('.jp-AIServer-Ask-chip');
    await expect(cell.input).toBeFocused();
    await expect(chip).toHaveCount(0);
    await cell.input.fill('按月画出销售');
    await expect(chip).toHaveText(/^销售2 rows × 2 columns/);

    await lab.model!.script(code('1'), code('2'));
    await cell.input.press('Enter');
    await cell.accept();
    const sent = async (index: number) => {
      const request = (await lab.model!.requests())[index];
      return request.body.messages.map(message => message.content).join('\n');
    };
    expect(await sent(0)).toContain("'价格': float64");
    expect(await sent(0)).toContain('rate: float');
    expect((await sent(0)).split('canary-value').length - 1).toBe(1); // the cell's own code

    await cell.open();
    await cell.input.fill('画 costs');
    await cell.button('Remove costs').click();
    await expect(cell.input).toBeFocused();
    await cell.input.press('Enter');
    await cell.accept();
    expect(await sent(1)).not.toContain("'rent': int64");
  }
);

test('the only DataFrame is attached without a name, also after a later run', async ({
  page,
  openNotebook
}) => {
  await openNotebook(['import pandas as pd', '']);
  const cell = new CellUnderTest(page, 1);
  await cell.open();
  await cell.input.fill('plot it');
  const chips = cell.row.locator('.jp-AIServer-Ask-chip');
  await expect(chips).toHaveCount(0);
  await page.notebook.setCell(
    0,
    'code',
    'import pandas as pd; df = pd.DataFrame({"a": [1]})'
  );
  await new CellUnderTest(page, 0).run();
  await expect(chips).toHaveText(/^df/);
});

test('a person chooses whether a model gets statistics or rows of a DataFrame (P15)', async ({
  page,
  lab,
  openNotebook
}) => {
  const data =
    'import pandas as pd\nsales = pd.DataFrame({"city": ["canary-" + str(n) for n in range(9)], "price": range(100, 109)})';
  await openNotebook([data, 'spacer = 1', '']);
  await new CellUnderTest(page, 0).run();
  const cell = new CellUnderTest(page, 2);
  await cell.open();
  await cell.input.fill('mean price of sales');
  const level = cell.row.getByLabel('What the model gets of sales');
  await expect(level).toHaveValue('schema');
  await lab.model!.script(code('1'), code('2'));
  const sent = async (index: number) => {
    const request = (await lab.model!.requests())[index];
    return request.body.messages.map(message => message.content).join('\n');
  };

  await level.selectOption('Statistics');
  await expect(level).toHaveValue('statistics');
  await cell.input.press('Enter');
  await cell.accept();
  expect(await sent(0)).toContain('100 to 108, mean 104');
  expect(await sent(0)).not.toMatch(/canary-\d/);

  await cell.open();
  await cell.input.fill('mean price of sales');
  await expect(level).toHaveValue('schema');
  await level.selectOption('5 rows');
  await expect(level).toHaveValue('sample');
  await cell.input.press('Enter');
  await cell.accept();
  expect(await sent(1)).toContain("'canary-0', 100");
  expect(await sent(1)).toContain("'canary-4', 104");
  expect(await sent(1)).not.toContain("'canary-5'");
});
