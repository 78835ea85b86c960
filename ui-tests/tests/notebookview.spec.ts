/**
 * The notebook through time, and the search over all that was asked.
 */
import type { Page } from '@playwright/test';

import { CellUnderTest, ReplayUnderTest } from '../fixtures/cells';
import { expect, Lab, test } from '../fixtures/lab';
import { code } from '../fixtures/scripted';
import { begin, execute, rowsOf } from '../fixtures/shell';

/** The ids and sources of the current notebook's cells, in order. */
const cells = async (page: Page) =>
  (await rowsOf(page)).map(({ id, source }) => [id, source]);

/** A notebook of four cells with a history: asked for, edited by hand, run, one deleted. */
async function history(
  page: Page,
  lab: Lab,
  open: (sources: string[], options?: { name?: string }) => Promise<string>,
  name = 'cells.ipynb'
): Promise<string[]> {
  const file = await open(['', '', 'note = "a plan"', 'md:# Sales'], { name });
  await lab.model!.script(
    code('import os\n\nsales = read_csv("sales.csv")'),
    code('sales.groupby("month")["revenue"].sum().plot()', '按月画图。')
  );
  const [first, second, third] = [0, 1, 2].map(
    index => new CellUnderTest(page, index)
  );
  await first.ask('read the sales');
  await first.accept();
  await second.ask('画出每月收入的折线图');
  await second.accept();
  await first.editor.click();
  await page.keyboard.press('ControlOrMeta+End');
  await page.keyboard.type('  # of all shops');
  const ids = (await cells(page)).map(([id]) => id);
  await second.focus();
  await begin(page, 'notebook:run-cell');
  await expect(
    page.locator('.jp-NotebookPanel:not(.lm-mod-hidden)')
  ).toContainText('NameError');
  await third.focus();
  await begin(page, 'notebook:delete-cell');
  await expect.poll(async () => (await cells(page)).length).toBe(3);
  await begin(page, 'docmanager:save');
  // What was done is noted a moment later.
  const id = await lab.notebookId(file);
  await expect
    .poll(async () => {
      const url = `${lab.url}/aiserver/notebooks/${id}/timeline`;
      const { moments } = await (await page.request.get(url)).json();
      const kinds = moments.map((moment: { kind: string }) => moment.kind);
      return kinds.includes('delete') && kinds.includes('run');
    })
    .toBe(true);
  await new ReplayUnderTest(page).open();
  return ids;
}

/** Press a key of the slider until it is at a position. */
async function goTo(
  page: Page,
  replay: ReplayUnderTest,
  key: string,
  words: RegExp
): Promise<void> {
  await replay.slider.focus();
  await expect(async () => {
    await page.keyboard.press(key);
    await expect(replay.slider).toHaveAttribute('aria-valuetext', words, {
      timeout: 200
    });
  }).toPass();
}

const then = (replay: ReplayUnderTest) =>
  replay.panel.getByRole('list', { name: 'Notebook at this point' });

test(
  'the notebook after each moment, by keyboard only (P38)',
  { tag: '@core' },
  async ({ page, lab, openNotebook }) => {
    const ids = await history(page, lab, openNotebook);
    const replay = new ReplayUnderTest(page);
    await expect(replay.tab('Cell')).toBeVisible();
    // The panel may still move the focus into its content when that has loaded.
    await expect(async () => {
      const tab = replay.tab('Cell');
      for (let n = 0; n < 20; n++) {
        if (await tab.evaluate(node => node === document.activeElement)) {
          break;
        }
        await page.keyboard.press('Shift+Tab');
      }
      await page.keyboard.press('ArrowRight');
      await expect(replay.tab('Notebook')).toBeFocused({ timeout: 1000 });
    }).toPass();
    await expect(replay.slider).toHaveAttribute('aria-valuetext', 'Now');
    await goTo(page, replay, 'ArrowLeft', /Deleted a cell/);
    const rows = then(replay).getByRole('listitem');
    await expect(rows).toHaveCount(4);
    await expect(rows.nth(2)).toContainText('deleted');
    await expect(rows.nth(2)).toContainText('note = "a plan"');
    await goTo(page, replay, 'ArrowLeft', /Run/);
    await expect(rows.nth(2)).not.toContainText('deleted');
    await page.keyboard.press('Home');
    await expect(replay.slider).toHaveAttribute('aria-valuenow', '1');
    await page.keyboard.press('End');
    await expect(replay.slider).toHaveAttribute('aria-valuetext', 'Now');

    // The deleted cell comes back under its id, at its place, by one undo step.
    await goTo(page, replay, 'ArrowLeft', /Deleted a cell/);
    await expect(rows.nth(2)).toContainText('Restore cell');
    const before = await cells(page);
    await rows.nth(0).getByRole('button').first().focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Tab');
    await expect(replay.button('Restore cell')).toBeFocused();
    await page.keyboard.press('Enter');
    await expect
      .poll(() => cells(page))
      .toEqual([...before.slice(0, 2), [ids[2], 'note = "a plan"'], before[2]]);
    await page.evaluate(() =>
      (
        window as any
      ).jupyterapp.shell.currentWidget.content.model.sharedModel.undo()
    );
    expect(await cells(page)).toEqual(before);

    // The note about the notebook, which was made when the first answer was accepted.
    const about = replay.panel.getByRole('region', {
      name: 'About this notebook'
    });
    await expect(about).toContainText('Sales');
    await expect(about).toContainText('sales.csv');
  }
);

test('the scrubber by mouse, and a cell opened at its step', async ({
  page,
  lab,
  openNotebook
}) => {
  await history(page, lab, openNotebook);
  const replay = new ReplayUnderTest(page);
  await replay.tab('Notebook').click();
  await expect(replay.panel).toContainText(/\d+\s?% by AI/);
  const each = replay.button(/^\d+ lines?$/);
  await each.click();
  const shares = replay.panel.getByRole('list', {
    name: 'Authorship by cell'
  });
  await expect(shares.getByRole('listitem')).toHaveCount(3);
  await expect(shares.getByRole('listitem').nth(0)).toContainText('scripted');
  await shares.getByRole('button').nth(2).click();
  const active = () =>
    page.evaluate(
      () =>
        (window as any).jupyterapp.shell.currentWidget.content.activeCellIndex
    );
  await expect.poll(active).toBe(2);
  await each.click();
  await expect(shares).toHaveCount(0);
  await replay.button('Previous change').click();
  await expect(then(replay)).toBeVisible();
  const box = (await replay.slider.boundingBox())!;
  await page.mouse.move(box.x + box.width - 10, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + 6, box.y + box.height / 2, { steps: 12 });
  await page.mouse.up();
  await expect(replay.slider).toHaveAttribute('aria-valuenow', /^[123]$/);
  // A deleted cell comes back.
  await replay.button('Now').click();
  const before = (await cells(page)).length;
  await replay.button('Restore cell').click();
  await expect.poll(async () => (await cells(page)).length).toBe(before + 1);
  await replay.slider.focus();
  await page.keyboard.press('Home');
  await goTo(page, replay, 'ArrowRight', /read the sales/);
  await then(replay)
    .getByRole('button', { name: /^Cell 1, changed/ })
    .click();
  await expect(replay.tab('Cell')).toHaveAttribute('aria-selected', 'true');
  await expect(replay.slider).toHaveAttribute(
    'aria-valuetext',
    /read the sales/
  );
});

test('the search finds requests in any language, and opens their step', async ({
  page,
  lab,
  openNotebook
}) => {
  await history(page, lab, openNotebook, 'found.ipynb');
  const replay = new ReplayUnderTest(page);
  await execute(page, 'aiserver:search-replay');
  const field = replay.panel.getByRole('searchbox');
  await expect(field).toBeFocused();
  const hits = replay.panel
    .getByRole('list', { name: 'Search results' })
    .getByRole('listitem');
  for (const [query, expected] of [
    ['折线图', '画出每月收入的折线图'],
    ['csv', 'read the sales'],
    ['NameError', '画出每月收入的折线图']
  ]) {
    await field.fill(query);
    await expect(hits).toHaveCount(1);
    await expect(hits).toContainText(expected);
    await expect(hits.locator('mark').first()).toHaveText(query);
  }
  await field.fill('xyzzy');
  await expect(replay.panel).toContainText('No results');
  // By meaning, in other words than those that were said.
  const other = 'load selling figures';
  await field.fill(other);
  await expect(replay.panel).toContainText('No results');
  await replay.panel.getByText('Meaning', { exact: true }).click();
  await expect(hits.first()).toContainText('read the sales');
  await replay.panel.getByText('Text', { exact: true }).click();
  await expect(replay.panel).toContainText('No results');
  await field.fill('csv');
  await expect(hits).toHaveCount(1);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(replay.tab('Cell')).toHaveAttribute('aria-selected', 'true');
  await expect(replay.slider).toHaveAttribute(
    'aria-valuetext',
    /read the sales/
  );

  // From another notebook its file is opened.
  await openNotebook(['x = 1'], { name: 'other.ipynb' });
  await replay.tab('Search').click();
  await replay.panel.getByText('All notebooks').click();
  await field.fill('折线图');
  // (The previous results stay until the next response.)
  const result = hits
    .filter({ hasText: 'found.ipynb' })
    .filter({ hasText: '折线图' });
  await expect(result).toHaveCount(1);
  await result.getByRole('button').click();
  await expect(
    page
      .locator('.jp-mod-current[role="tab"]')
      .filter({ hasText: 'found.ipynb' })
  ).toBeVisible();
  await expect(replay.slider).toHaveAttribute('aria-valuetext', /折线图/);
});
