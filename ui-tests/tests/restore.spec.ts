/** The whole notebook is restored as of a moment, by keyboard only (P58). */
import { type Page } from '@playwright/test';

import { CellUnderTest, ReplayUnderTest } from '../fixtures/cells';
import { expect, test } from '../fixtures/lab';
import { code } from '../fixtures/scripted';
import { begin, rowsOf } from '../fixtures/shell';

const cells = async (page: Page) =>
  (await rowsOf(page)).map(({ id, source }) => [id, source]);

test('the notebook is restored here, undone, and restored as a copy (P58)', async ({
  page,
  lab,
  openNotebook
}) => {
  const file = await openNotebook(['a = 1', 'b = 2', 'c = 3', 'd = 4']);
  await lab.model!.script(code('b = 20'));
  const second = new CellUnderTest(page, 1);
  await second.ask('make b twenty');
  await second.accept();
  await begin(page, 'docmanager:save');
  const before = await cells(page);
  await new CellUnderTest(page, 0).focus();
  await begin(page, 'notebook:delete-cell');
  await expect.poll(() => cells(page)).toEqual(before.slice(1));
  await new CellUnderTest(page, 2).editor.click();
  await page.keyboard.press('ControlOrMeta+End');
  await page.keyboard.type('0');
  await begin(page, 'docmanager:save');
  const after = await cells(page);
  expect(after.at(-1)![1]).toBe('d = 40');

  // Go to the moment before the deletion, and from the slider to the button.
  const replay = new ReplayUnderTest(page);
  await replay.open();
  await replay.tab('Notebook').click();
  await expect(replay.slider).toHaveAttribute('aria-valuetext', 'Now');
  const goTo = async (key: string, words: RegExp) => {
    const read = (name: string) => replay.slider.getAttribute(name);
    while (!words.test((await read('aria-valuetext')) ?? '')) {
      const place = await read('aria-valuenow');
      await replay.slider.press(key);
      await expect.poll(() => read('aria-valuenow')).not.toBe(place);
    }
  };
  const openDialog = async () => {
    const button = replay.button('Restore notebook…');
    await expect(button).toBeEnabled();
    await replay.slider.focus();
    for (let n = 0; n < 6; n++) {
      if (await button.evaluate(node => node === document.activeElement)) {
        break;
      }
      await page.keyboard.press('Tab');
    }
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    // JupyterLab's dialogs take keys once they have the focus.
    await expect(
      dialog.getByRole('button', { name: 'As a copy' })
    ).toBeFocused();
    return dialog;
  };
  await goTo('ArrowLeft', /make b twenty/);
  let dialog = await openDialog();
  await expect(dialog).toContainText('1 cell changes, 1 cell comes back');
  await expect(dialog).toContainText('“Undo Cell Operation” brings it back.');
  await page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);
  expect(await cells(page)).toEqual(after);

  // Restore here, in one undo step and one change.
  const count = await replay.slider.getAttribute('aria-valuemax');
  dialog = await openDialog();
  await page.keyboard.press('Tab');
  await expect(dialog.getByRole('button', { name: 'Here' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect.poll(() => cells(page)).toEqual(before);
  await expect(replay.slider).not.toHaveAttribute('aria-valuemax', count!);
  await replay.slider.press('End');
  await goTo('ArrowLeft', /Restored the notebook as of/);
  await begin(page, 'notebook:undo-cell-action');
  await expect.poll(() => cells(page)).toEqual(after);
  await begin(page, 'docmanager:save');
  await replay.slider.press('End');

  // Restore as a copy, which has a history of its own.
  await goTo('ArrowLeft', /make b twenty/);
  dialog = await openDialog();
  await expect(dialog).toContainText('1 cell changes, 1 cell comes back');
  await page.keyboard.press('Enter');
  await expect.poll(() => cells(page)).toEqual(before);
  const title = page.locator('.lm-DockPanel-tabBar .lm-mod-current');
  await expect(title).toContainText(/\(restored .*\)\.ipynb/);
  await expect(replay.slider).toHaveAttribute('aria-valuetext', 'Now');
  await goTo('ArrowLeft', /make b twenty/);
  expect(JSON.parse(await lab.read(file)).cells).toHaveLength(after.length);
});
