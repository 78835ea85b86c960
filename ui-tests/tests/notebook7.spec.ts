/**
 * Notebook 7: one notebook to a page, another shell, the same cells.
 */
import { CellUnderTest, ReplayUnderTest } from '../fixtures/cells';
import { expect, problemsOfOurs, test } from '../fixtures/place';
import { code } from '../fixtures/scripted';
import { execute } from '../fixtures/shell';

test.use({ placeOptions: { app: 'notebook' } });

test('Notebook 7: ask, accept, one undo, replay, and all of it after a reload', async ({
  page,
  place
}) => {
  // P35 and P13 in Notebook 7.
  const problems = problemsOfOurs(page);
  const before = '# 我的代码\nx = 1';
  await place.openNew(page, [before, 'other = 1']);
  const cell = new CellUnderTest(page, 0);
  await place.model.script({
    ...code('x = 2\ny = 3', 'It sets y.'),
    hold_after: 3
  });
  await cell.ask('set y');
  await expect(cell.proposal).toBeVisible();
  expect(await cell.source()).toBe(before);
  await place.model.release();
  await cell.accept();
  expect(await cell.source()).toBe('x = 2\ny = 3');
  await expect(cell.output).toHaveCount(0);
  await cell.editor.click();
  await page.keyboard.press('ControlOrMeta+z');
  expect(await cell.source()).toBe(before);
  await page.keyboard.press('ControlOrMeta+Shift+z');
  expect(await cell.source()).toBe('x = 2\ny = 3');

  // The sidebar is reached from the menu, as a person does.
  await page.getByRole('menuitem', { name: 'View', exact: true }).click();
  await page.getByRole('menuitem', { name: /^Show Replay/ }).click();
  const replay = new ReplayUnderTest(page);
  await expect(replay.panel).toContainText('set y');
  await expect(replay.panel).toContainText('It sets y.');

  await execute(page, 'docmanager:save');
  await page.reload();
  await cell.editor.waitFor();
  await replay.open();
  await cell.focus();
  await expect(replay.panel).toContainText('set y');
  await place.model.script(code('x = 4'));
  await cell.ask('x is four');
  await cell.accept();
  const [, second] = await place.model.requests();
  const prompt = second.body.messages.map(({ content }) => content).join('\n');
  expect(prompt).toContain('set y');
  // The code that was there first, and the two turns.
  await expect(replay.steps).toHaveCount(3);

  // Back to a version, and that taken back; the notebook's own time; a search; who wrote what.
  await replay.steps.nth(1).getByRole('button').click();
  await replay.button('Restore this version').click();
  await expect.poll(() => cell.source()).toBe('x = 2\ny = 3');
  await replay.button('Undo').click();
  await expect.poll(() => cell.source()).toBe('x = 4');
  await replay.tab('Notebook').click();
  await replay.slider.press('ArrowLeft');
  await expect(
    replay.panel.getByRole('list', { name: 'Notebook at this point' })
  ).toContainText('other = 1');
  await replay.tab('Search').click();
  await replay.panel.getByRole('searchbox').fill('set y');
  await expect(replay.panel.locator('mark').first()).toBeVisible();
  await replay.panel.getByRole('searchbox').press('Enter');
  await expect(replay.slider).toHaveAttribute('aria-valuetext', /set y/);
  await cell.focus();
  await page.keyboard.press('ControlOrMeta+Alt+b');
  await expect(cell.authors).toHaveText(['2']);
  await page.keyboard.press('ControlOrMeta+Alt+b');

  // The parts of an answer, by keyboard.
  await place.model.script(code('w = 1\nx = 4\nv = 1'));
  await cell.ask('add w and v');
  const accept = cell.proposal.getByRole('button', {
    name: 'Accept this change'
  });
  await expect(accept).toHaveCount(2);
  await cell.input.press('Alt+ArrowDown');
  await page.keyboard.press('Alt+n');
  await expect(accept).toHaveCount(1);
  await page.keyboard.press('Alt+y');
  await expect(cell.row).toHaveCount(0);
  expect(await cell.source()).toBe('x = 4\nv = 1');

  // On its other pages there is no notebook: nothing of ours fails for that.
  await page.goto(`${place.url}/tree`);
  await page.getByRole('button', { name: /^cells.ipynb/ }).waitFor();
  expect(problems()).toEqual([]);
});
