/**
 * Cells whose editor is unusual: Vim mode, and a notebook that is reloaded from its file.
 */
import { utimesSync } from 'node:fs';
import * as path from 'node:path';

import { CellUnderTest } from '../fixtures/cells';
import { expect, notebookFile, test } from '../fixtures/lab';
import { code } from '../fixtures/scripted';

test('“Revert” during the first request: the model gets the cell as it is then', async ({
  page,
  lab,
  openNotebook
}) => {
  const file = await openNotebook(['a = 1', 'b = 2']);
  const cell = new CellUnderTest(page, 1);
  await cell.focus();
  await page.keyboard.type('# unsaved');
  await lab.write(file, notebookFile(['a = 1', 'b = "other branch"']));
  // JupyterLab ignores changes of less than half a second.
  const later = Date.now() / 1000 + 60;
  utimesSync(path.join(lab.root, file), later, later);
  await lab.model!.script(code('b = 3'));
  await cell.ask('change b');
  await page.getByRole('button', { name: 'Revert' }).click();
  await cell.accept();
  expect(await cell.source()).toBe('b = 3');
  const [{ body }] = await lab.model!.requests();
  const request = body.messages.at(-1)!.content;
  expect(request).toContain('other branch');
  expect(request).not.toContain('unsaved');
});

test('in Vim mode, a key of its own opens the row while editing (P48)', async ({
  page,
  openNotebook
}) => {
  await openNotebook(['a = 1', 'b = 2']);
  const cell = new CellUnderTest(page, 1);
  // As jupyterlab-vim marks its notebooks.
  await page.locator('.jp-NotebookPanel').evaluate((panel: HTMLElement) => {
    panel.dataset.jpVimMode = 'true';
  });
  await cell.focus();
  await page.keyboard.press('Alt+k');
  await expect(cell.input).toBeFocused();
  await page.keyboard.type('ddkj');
  await expect(cell.input).toHaveValue('ddkj');
  expect(await cell.source()).toBe('b = 2');
  await page.getByRole('menuitem', { name: 'Edit' }).click();
  await expect(
    page.getByRole('menuitem', { name: 'Ask for Code (Alt+K in Vim)' })
  ).toBeVisible();
});
