/**
 * Cells that vanish from a notebook although no person deleted them (P54).
 */
import type { Page } from '@playwright/test';

import { CellUnderTest, ReplayUnderTest } from '../fixtures/cells';
import { expect, test } from '../fixtures/lab';
import { code } from '../fixtures/scripted';

const SOURCES = ['a = 1', 'b = 2', 'c = 3', 'd = 4', 'e = 5'];

const run = (page: Page, command: string) =>
  page.evaluate(
    id => (window as any).jupyterapp.commands.execute(id).then(() => undefined),
    command
  );

const sources = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const { content } = (window as any).jupyterapp.shell.currentWidget;
    return [...content.model.cells].map(cell => cell.sharedModel.getSource());
  });

/** Keep only the first cell in a notebook's file. */
function emptied(text: string): string {
  const notebook = JSON.parse(text);
  return JSON.stringify({ ...notebook, cells: notebook.cells.slice(0, 1) });
}

test('cells that vanish from the file are announced, shown and brought back (P54)', async ({
  page,
  lab,
  openNotebook
}) => {
  const file = await openNotebook(SOURCES);
  await lab.model!.script(code('b = 20'));
  const cell = new CellUnderTest(page, 1);
  await cell.ask('make b twenty');
  await cell.accept();
  await run(page, 'docmanager:save');
  const whole = ['a = 1', 'b = 20', 'c = 3', 'd = 4', 'e = 5'];
  const text = await lab.read(file);

  // The person's own deletions are silent.
  const message = page.getByText(/cells? (has|have) disappeared from/);
  await new CellUnderTest(page, 0).focus();
  await run(page, 'notebook:extend-marked-cells-bottom');
  await run(page, 'notebook:cut-cell');
  await run(page, 'notebook:undo-cell-action');
  await expect.poll(() => sources(page)).toEqual(whole);
  await run(page, 'docmanager:save'); // reloading asks if there are changes

  // In an open notebook.
  await lab.write(file, emptied(text));
  await run(page, 'docmanager:reload');
  await expect(message).toHaveText(
    /^4 cells have disappeared from .*\.ipynb: they were removed in its file\.$/,
    { timeout: 2000 }
  );
  const button = (name: string) =>
    page.getByRole('button', { name, exact: true });
  await button('Show').click();
  const { panel } = new ReplayUnderTest(page);
  await expect(panel).toContainText('e = 5');
  await button('Bring all back').focus();
  await page.keyboard.press('Enter');
  await expect.poll(() => sources(page)).toEqual(whole);
  await expect(message).toHaveCount(0);

  // In a closed notebook.
  await run(page, 'docmanager:save');
  await run(page, 'application:close');
  await lab.write(file, emptied(text));
  await page.notebook.open(file.split('/').pop()!);
  await expect(message).toHaveText(/^4 cells /);
  await button('Bring all back').click();
  await expect.poll(() => sources(page)).toEqual(whole);
});
