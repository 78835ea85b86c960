/** Recipes: saved from a request, completed by their slash words, and filled in by Tab. */
import { mkdir, readFile, writeFile } from 'fs/promises';
import path from 'path';

import { CellUnderTest } from '../fixtures/cells';
import { expect, test } from '../fixtures/lab';
import { code } from '../fixtures/scripted';

test('a project’s recipe is used, and a request is saved as another', async ({
  page,
  lab,
  openNotebook
}) => {
  const notebook = await openNotebook(['x = 1']);
  const folder = path.join(
    lab.root,
    path.dirname(notebook),
    '.aiserver',
    'recipes'
  );
  await mkdir(folder, { recursive: true });
  await writeFile(
    path.join(folder, '清洗.md'),
    '---\ndescription: 清洗一列\n---\n清洗 {{列}}，用 {{方法=中位数}}'
  );
  const cell = new CellUnderTest(page, 0);
  await cell.open();
  await cell.input.pressSequentially('/清');
  const options = page.getByRole('listbox').getByRole('option');
  await expect(options).toHaveText(['/清洗清洗一列']);
  await cell.input.press('Enter');
  await expect(cell.input).toHaveValue('清洗 {{列}}，用 中位数');
  // The parameter is selected, so typing replaces it.
  await cell.input.pressSequentially('价格');
  await expect(cell.input).toHaveValue('清洗 价格，用 中位数');
  await lab.model!.script(code('x = 2'));
  await cell.input.press('Enter');
  await expect(cell.proposal).toContainText('x = 2', { timeout: 45_000 });

  await cell.button('More').click();
  await page.getByRole('menuitem', { name: 'Save Request as Recipe…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox').fill('price-median');
  await dialog.getByRole('radio', { name: /this project/ }).check();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(
    page.getByText('Saved. Type /price-median to use it.')
  ).toBeVisible();
  const saved = path.join(folder, 'price-median.md');
  expect(await readFile(saved, 'utf-8')).toBe('清洗 价格，用 中位数\n');
  await cell.input.pressSequentially('/pri');
  await expect(options).toHaveText([/^\/price-median/]);
});
