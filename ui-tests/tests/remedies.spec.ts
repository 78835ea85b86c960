/**
 * The warnings about a suggestion, and the buttons that help with an error or a problem without a
 * model.
 */
import { CellUnderTest } from '../fixtures/cells';
import { expect, test } from '../fixtures/lab';
import { code } from '../fixtures/scripted';

const LOAD =
  'import pandas as pd\n' +
  'sales = pd.DataFrame({"region": ["a", "b", "a"], "price": [1, 2, 3]})';

test('a DataFrame that would be replaced stays if the result gets another name', async ({
  page,
  lab,
  openNotebook
}) => {
  await openNotebook([LOAD, '', 'sales.shape']);
  await new CellUnderTest(page, 0).run();
  const cell = new CellUnderTest(page, 1);
  await lab.model!.script(
    code('sales = sales.groupby("region")["price"].sum()\nprint(sales)')
  );
  await cell.ask('per region');
  const warning = 'This replaces “sales” (3 × 2). Other cells use it.';
  await expect(cell.row).toContainText(warning);
  await expect(cell.button('Accept and run')).toBeEnabled();
  await cell.button('Name it “sales_by_region”').click();
  await expect(cell.row).not.toContainText(warning);
  await expect(cell.input).toBeFocused();
  await cell.accept();
  expect(await cell.source()).toBe(
    'sales_by_region = sales.groupby("region")["price"].sum()\nprint(sales_by_region)'
  );
  await cell.run();
  const user = new CellUnderTest(page, 2);
  await user.run();
  await expect(user.output).toHaveText('(3, 2)');
});

test('a name that a cell above defines: the row runs it, and keeps the keyboard (P48)', async ({
  page,
  lab,
  openNotebook
}) => {
  await openNotebook([LOAD, 'sales.shape']);
  const cell = new CellUnderTest(page, 1);
  await cell.run();
  await cell.open();
  // The line below the error leaves these buttons to the open row.
  const fix = cell.root.getByRole('button', { name: 'Fix it' });
  await expect(fix).toHaveCount(1);
  await expect(cell.button('Fix it')).toBeVisible();
  await cell.row.getByRole('button', { name: 'Run the cells above' }).click();
  await expect(
    cell.root.getByRole('button', { name: 'Run the cells above' })
  ).toHaveCount(0);
  await page.keyboard.type('dd');
  await expect(cell.input).toHaveValue('dd');
  await cell.run();
  await expect(cell.output).toHaveText('(3, 2)');
  expect((await lab.model!.requests()).length).toBe(0);
});

test('a missing package and a missing import are added as a diff, without a model', async ({
  page,
  lab,
  openNotebook
}) => {
  await openNotebook(['raise ImportError("`Import xlrd` failed.")', 'np.pi']);
  const help = (cell: CellUnderTest) =>
    cell.root.getByRole('group', { name: 'Help with this error' });
  const failed = new CellUnderTest(page, 0);
  await failed.run();
  await help(failed).getByRole('button', { name: '%pip install xlrd' }).click();
  await expect(failed.proposal).toContainText('%pip install xlrd');
  await expect(failed.input).toBeFocused();
  await failed.reject();

  const cell = new CellUnderTest(page, 1);
  await cell.run();
  await help(cell).getByRole('button', { name: 'import numpy as np' }).click();
  await cell.accept();
  expect(await cell.source()).toBe('import numpy as np\nnp.pi');
  expect((await lab.model!.requests()).length).toBe(0);
});
