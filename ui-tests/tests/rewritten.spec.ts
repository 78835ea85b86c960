/**
 * Notebooks that other tools rewrite: their cells keep their histories (P28).
 */
import type { Page } from '@playwright/test';

import { CellUnderTest, ReplayUnderTest } from '../fixtures/cells';
import { expect, test } from '../fixtures/lab';
import { code } from '../fixtures/scripted';

/** Number the cells of a notebook, as nbstripout does, with a new cell at the top. */
function numbered(text: string, top?: string): string {
  const notebook = JSON.parse(text);
  if (top !== undefined) {
    const cell = { ...notebook.cells[0], source: top, outputs: [] };
    notebook.cells.unshift(cell);
  }
  notebook.cells.forEach((cell: { id: string }, index: number) => {
    cell.id = `${index}`;
  });
  return JSON.stringify(notebook);
}

/** Run a command on the current notebook, and return whether it has unsaved changes. */
function run(page: Page, command: string): Promise<boolean> {
  return page.evaluate(async id => {
    const { commands, shell } = (window as any).jupyterapp;
    await commands.execute(id);
    return shell.currentWidget?.context?.model.dirty;
  }, command);
}

test('cells that a tool numbers anew keep their histories and their ids (P28)', async ({
  page,
  lab,
  openNotebook
}) => {
  const file = await openNotebook(['a = 1', 'b = 2']);
  await lab.model!.script(code('b = 3'));
  const cell = new CellUnderTest(page, 1);
  await cell.ask('make b three');
  await cell.accept();
  await run(page, 'docmanager:save');
  const ids = () =>
    page.evaluate(() => {
      const { content } = (window as any).jupyterapp.shell.currentWidget;
      return [...content.model.cells].map(({ id }) => id);
    });
  const before = await ids();

  // The file is read again.
  await lab.write(file, numbered(await lab.read(file)));
  await run(page, 'docmanager:reload');
  await expect.poll(ids).toEqual(before);
  const replay = new ReplayUnderTest(page);
  await cell.focus();
  await run(page, 'aiserver:show-replay');
  await expect(replay.steps.filter({ hasText: 'make b three' })).toHaveCount(1);
  await expect(replay.panel).not.toContainText('Deleted');

  // On another branch, another cell has the number; the notebook is opened anew.
  await run(page, 'docmanager:save');
  await lab.write(file, numbered(await lab.read(file), 'top = 0'));
  await run(page, 'application:close');
  await page.notebook.open(file.split('/').pop()!);
  await expect.poll(async () => (await ids()).slice(1)).toEqual(before);
  expect(await run(page, 'aiserver:show-replay')).toBe(false);
  await new CellUnderTest(page, 0).focus();
  await expect(replay.panel).not.toContainText('make b three');
  await new CellUnderTest(page, 2).focus();
  await expect(replay.steps.filter({ hasText: 'make b three' })).toHaveCount(1);
  await expect(replay.steps.last()).toContainText('Found again by its content');

  // A cell that was changed, too, is unknown until the person gives it its history.
  await run(page, 'docmanager:save');
  const changed = JSON.parse(numbered(await lab.read(file)));
  changed.cells[2].source = 'something else';
  await lab.write(file, JSON.stringify(changed));
  await run(page, 'docmanager:reload');
  await expect.poll(async () => (await ids())[2]).not.toBe(before[1]);
  await new CellUnderTest(page, 2).focus();
  await replay.tab('Notebook').click();
  await replay.panel.getByRole('button', { name: /make b three/ }).click();
  await expect(replay.steps.filter({ hasText: 'make b three' })).toHaveCount(1);
  await replay.choose('Give this history to the selected cell');
  await expect.poll(ids).toEqual([expect.anything(), ...before]);
  await expect(replay.steps.filter({ hasText: 'make b three' })).toHaveCount(1);
  await expect(new CellUnderTest(page, 2).editor).toContainText(
    'something else'
  );
});
