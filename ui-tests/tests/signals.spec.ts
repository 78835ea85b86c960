/**
 * Facts about a result that may prove nothing: before a suggestion is accepted, and below the result
 * of its first run, however that was started.
 */
import { CellUnderTest } from '../fixtures/cells';
import { expect, test } from '../fixtures/lab';
import { code } from '../fixtures/scripted';

const LOAD = `import pandas as pd
orders = pd.DataFrame({"city": ["Bonn", "Bonn", "Ulm"], "price": [1.0, 2.0, 3.0]})
shops = pd.DataFrame({"city": ["Bonn", "Bonn", "Ulm"], "shop": ["a", "b", "c"]})`;

test('signals are shown before Accept, and after the first run (P41)', async ({
  page,
  lab,
  openNotebook
}) => {
  await openNotebook([LOAD, '', '']);
  await new CellUnderTest(page, 0).run();
  const cell = new CellUnderTest(page, 1);
  const lineBelow = cell.root.locator('.jp-AIServer-ErrorBar');
  const signals = (text: string) =>
    cell.root.getByRole('status', { name: 'About the result' }).getByText(text);
  await lab.model!.script(
    code('both = orders.merge(shops, on="city")\nboth[both["price"] > 9]'),
    code('orders["city"] = orders["city"].str.strip()')
  );
  await cell.ask('which shops have orders above 9');
  await expect(
    signals('3 rows become 5: “city” is several times on both sides.')
  ).toBeVisible();
  await cell.accept();
  await expect(cell.row).toHaveCount(0);
  await expect(lineBelow).toHaveCount(0);
  await cell.run();
  await expect(signals('The result is empty.')).toBeVisible();

  // They are about this result only.
  await cell.focus();
  await page.keyboard.press('End');
  await page.keyboard.type(' ');
  await expect(lineBelow).toHaveCount(0);
  await cell.run();
  await expect(cell.output.first()).toBeVisible();
  await expect(lineBelow).toHaveCount(0);

  const next = new CellUnderTest(page, 2);
  await next.ask('strip the spaces in city');
  await expect(next.row).toContainText('This overwrites “city” in “orders”.');
  await next.input.press('Alt+Enter');
  await expect(
    next.root.getByText('“orders” is the same as before.')
  ).toBeVisible();
  await expect(next.row).toHaveCount(0);
  expect((await lab.model!.requests()).length).toBe(2);
});
