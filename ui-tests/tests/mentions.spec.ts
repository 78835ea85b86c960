/**
 * Mentions: cells, files, errors, variables and columns, completed by keyboard and mouse.
 */
import { writeFile } from 'fs/promises';
import path from 'path';

import { CellUnderTest } from '../fixtures/cells';
import { expect, test } from '../fixtures/lab';
import { code } from '../fixtures/scripted';

const LOAD =
  'import pandas as pd\ndf = pd.DataFrame({"price": [1], "总 额": [2]})\nprint("canary-output")' +
  '\nlimit = "canary" + "-" + "value"';

test('mentions are completed, and outputs are only sent on request (P15)', async ({
  page,
  lab,
  openNotebook
}) => {
  const notebook = await openNotebook([LOAD, 'df.pries']);
  await writeFile(
    path.join(lab.root, path.dirname(notebook), 'notes.md'),
    'canary-text'
  );
  await new CellUnderTest(page, 0).run();
  const cell = new CellUnderTest(page, 1);
  await cell.run();
  await cell.open();
  const options = page.getByRole('listbox').getByRole('option');
  await cell.input.pressSequentially('plot @');
  await expect(options.first()).toHaveText(/^@errorAttributeError/);
  await expect(options.filter({ hasText: '@cell1' })).toContainText(
    'import pandas'
  );
  // Keyboard: a DataFrame, then one of its columns.
  await cell.input.pressSequentially('df.');
  await expect(options).toHaveText(['@df.priceint64', '@df."总 额"int64']);
  await cell.input.press('ArrowDown');
  await cell.input.press('Enter');
  await expect(cell.input).toHaveValue('plot @df."总 额" ');
  // Mouse: a cell by its first line, and a file.
  await cell.input.pressSequentially('like @import');
  await options.filter({ hasText: '@cell1' }).click();
  await cell.input.pressSequentially('and @no');
  await options.filter({ hasText: '@notes.md' }).click();
  await cell.input.pressSequentially('@err');
  await cell.input.press('Tab');
  await expect(cell.input).toHaveValue(
    'plot @df."总 额" like @cell1 and @notes.md @error '
  );
  await expect(
    cell.row.getByText('Outputs, values and texts are only sent')
  ).toBeVisible();

  await lab.model!.script(code('df.plot()'), code('df.plot(x=1)'));
  await cell.input.press('Enter');
  await expect(cell.button(/^Accept$/)).toBeEnabled();
  await cell.ask('again like @cell1');
  await expect(cell.proposal).toContainText('x=1');
  const sent = async (index: number) =>
    (await lab.model!.requests())[index].body.messages.at(-1)!.content;
  expect(await sent(0)).toContain('@cell1:\nimport pandas as pd');
  expect(await sent(0)).toContain('@error:\n----> 1 df.pries\nAttributeError');
  expect(await sent(0)).not.toContain('canary-text');
  expect((await sent(0)).split('canary-output').length - 1).toBe(1); // in the code of the cell

  await lab.model!.script(code('df.plot(y=1)'));
  await cell.input.fill('like @cell1 and @notes.md');
  await cell.row.getByRole('checkbox', { name: 'send its output' }).check();
  await cell.row.getByRole('checkbox', { name: 'send its text' }).check();
  await cell.input.press('Enter');
  await expect(cell.proposal).toContainText('y=1');
  expect(await sent(2)).toContain('Output of @cell1:\ncanary-output');
  expect(await sent(2)).toContain('@notes.md:\ncanary-text');
  // The choice is for this request and its corrections, until the person decides.
  await cell.reject();
  await cell.open();
  await cell.input.fill('above @limit');
  // The variables are read when the row opens.
  await expect(
    cell.row.getByRole('checkbox', { name: 'send its value' })
  ).toBeVisible();
  await lab.model!.script(code('limit'), code('limit + 1'));
  await cell.input.press('Enter');
  await expect(cell.button(/^Accept$/)).toBeEnabled();
  const { body } = (await lab.model!.requests())[3];
  expect(JSON.stringify(body.messages)).toContain('limit: str of 12');
  expect(await sent(3)).not.toContain('canary-value');
  await cell.reject();
  await cell.open();
  await cell.input.fill('above @limit');
  await cell.row.getByRole('checkbox', { name: 'send its value' }).check();
  await cell.input.press('Enter');
  await expect(cell.proposal).toContainText('limit + 1');
  expect(await sent(4)).toContain("limit = 'canary-value'");
  await cell.reject();
  await cell.open();
  await cell.input.fill('like @cell1');
  await expect(cell.row.getByRole('checkbox')).not.toBeChecked();
});

test('a request about a data file begins in the file browser', async ({
  page,
  lab,
  openNotebook
}) => {
  const folder = path.dirname(await openNotebook(['x = 1']));
  await writeFile(
    path.join(lab.root, folder, 'my sales.csv'),
    'city,price\nOslo,1\nRome,2\n'
  );
  await page.filebrowser.openDirectory(folder);
  await page.filebrowser.refresh();
  const item = (name: string) =>
    page.locator('.jp-DirListing-item').filter({ hasText: name });
  const entry = page.getByRole('menuitem', { name: 'Ask About This File' });
  await item('cells.ipynb').click({ button: 'right' });
  await expect(page.getByRole('menuitem', { name: 'Rename' })).toBeVisible();
  await expect(entry).toHaveCount(0);
  await page.keyboard.press('Escape');
  // The first cell has code, so the row is in a new one below, which is removed if nothing is sent.
  const cell = new CellUnderTest(page, 1);
  for (const isSent of [false, true]) {
    await item('my sales.csv').click({ button: 'right' });
    await entry.click();
    await expect(cell.input).toHaveValue('@"my sales.csv" ');
    await expect(cell.input).toBeFocused();
    // Without the mention, the row offers the file.
    await cell.input.fill('plot it');
    await cell.button('Use my sales.csv').click();
    await expect(cell.input).toHaveValue('plot it @"my sales.csv" ');
    await expect(cell.button('Use my sales.csv')).toHaveCount(0);
    await cell.input.fill('@"my sales.csv" ');
    if (!isSent) {
      await cell.input.press('Escape');
      await expect(cell.root).toHaveCount(0);
      // JupyterLab selects the file of a notebook that was activated, once it has read the folder.
      await expect(item('cells.ipynb')).toHaveClass(/jp-mod-selected/);
    }
  }
  // A request about the file's columns is suggested.
  await lab.model!.script(code('df = 1'));
  await cell.button('Compare price by city').click();
  await expect(cell.input).toHaveValue('@"my sales.csv" Compare price by city');
  expect(await lab.model!.requests()).toHaveLength(0);
  await cell.input.press('Enter');
  await expect(cell.proposal).toContainText('df = 1');
  const sent = (await lab.model!.requests())[0].body.messages.at(-1)!.content;
  expect(sent).toContain("'price': int64");
  expect(sent).not.toContain('Oslo');
});
