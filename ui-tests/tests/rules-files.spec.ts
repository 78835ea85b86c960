/**
 * Rules files, such as AGENTS.md: shown before they are used, and sent only if a person uses them.
 */
import { writeFile } from 'fs/promises';
import path from 'path';

import { CellUnderTest } from '../fixtures/cells';
import { expect, openPath, reload, test } from '../fixtures/lab';
import { code } from '../fixtures/scripted';

test('a rules file is read, used, changed, saved and ignored (P46, P12, P43)', async ({
  page,
  lab,
  openNotebook
}) => {
  const notebook = await openNotebook(['x = 1']);
  const file = path.posix.join(path.dirname(notebook), 'AGENTS.md');
  const onDisk = path.join(lab.root, file);
  await writeFile(onDisk, 'Use polars. <img src="x" alt="canary">');
  const cell = new CellUnderTest(page, 0);
  await cell.open();
  const question = cell.row.getByRole('group', { name: file });
  await expect(question).toContainText('has rules for models');
  const system = async (index: number) =>
    (await lab.model!.requests())[index].body.messages[0].content;
  const answers = [2, 3, 4, 5, 6].map(number => code(`x = ${number}`));
  await lab.model!.script(...answers);

  await cell.ask('two');
  await expect(cell.proposal).toContainText('x = 2', { timeout: 45_000 });
  expect(await system(0)).not.toContain('polars');

  // Read it first, as text; then use it.
  await question.getByRole('button', { name: 'Read…' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog.locator('pre')).toHaveText(
    'Use polars. <img src="x" alt="canary">'
  );
  await expect(dialog.getByRole('checkbox')).not.toBeChecked();
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  await question.getByRole('button', { name: 'Use', exact: true }).click();
  await expect(question).toBeHidden();
  const chip = cell.row.getByText('AGENTS.md');
  await expect(chip).toBeVisible();
  await cell.button('More').click();
  await page.getByRole('menuitem', { name: 'Show What Will Be Sent' }).click();
  await expect(dialog.locator('pre').first()).toContainText('Use polars.');
  await expect(
    dialog.getByRole('row', { name: /AGENTS\.md Rules file/ })
  ).toBeVisible();
  const previewed = await dialog.locator('pre').first().textContent();
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  await cell.ask('three');
  await expect(cell.proposal).toContainText('x = 3');
  expect(await system(1)).toBe(previewed);

  // The choice survives a reload. A changed text isn't sent.
  await cell.reject();
  await reload(page);
  await openPath(page, notebook);
  await cell.open();
  await expect(chip).toBeVisible();
  await writeFile(onDisk, 'Answer in verse.');
  await cell.ask('four');
  await expect(cell.proposal).toContainText('x = 4');
  expect(await system(2)).not.toContain('in verse');
  await expect(question).toContainText('has changed');
  await question.getByRole('button', { name: 'Use', exact: true }).click();

  // The person's own save in JupyterLab counts as a choice.
  const listed = page.waitForResponse(
    async response =>
      response.url().includes('rules-files') &&
      (await response.text()).includes('My own rules.')
  );
  await page.evaluate(
    ([name, content]) =>
      (window as any).jupyterapp.serviceManager.contents.save(name, {
        type: 'file',
        format: 'text',
        content
      }),
    [file, 'My own rules.']
  );
  await listed;
  await cell.ask('five');
  await expect(cell.proposal).toContainText('x = 5');
  expect(await system(3)).toContain('My own rules.');

  // Ignored at its chip, and used again from the menu.
  await cell.button(`Ignore ${file}`).click();
  await expect(chip).toBeHidden();
  await cell.ask('six');
  await expect(cell.proposal).toContainText('x = 6');
  expect(await system(4)).not.toContain('My own rules.');
  await cell.button('More').click();
  await page.getByRole('menuitem', { name: 'Rules Files…' }).click();
  await dialog.getByRole('checkbox', { name: `Use ${file}` }).check();
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  await expect(chip).toBeVisible();
});
