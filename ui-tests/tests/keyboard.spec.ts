/**
 * All that the sidebar offers, by keyboard alone, from one view to the other; and handing the
 * replay on from it. (The steps themselves, comparing and branching: cellview.spec.ts; moments and
 * deleted cells: notebookview.spec.ts.)
 */
import type { Download, Locator, Page } from '@playwright/test';
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

import { CellUnderTest, ReplayUnderTest } from '../fixtures/cells';
import { fullHistory } from '../fixtures/dress';
import { expect, test } from '../fixtures/plain';
import { sourcesOf } from '../fixtures/shell';

async function isFocused(target: Locator): Promise<boolean> {
  return target.evaluate(node => node === document.activeElement);
}

async function tabTo(page: Page, target: Locator, key = 'Tab'): Promise<void> {
  for (let n = 0; n < 30 && !(await isFocused(target)); n++) {
    await page.keyboard.press(key);
  }
  await expect(target).toBeFocused();
}

test(
  'everything in the sidebar, by keyboard only (P38)',
  { tag: '@core' },
  async ({ page, lab, open, context }) => {
    test.setTimeout(150_000);
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const [load, clean, bars] = await fullHistory(lab, 'keys');
    await open([load, clean, bars], { aiserver: { notebook_id: 'keys' } });
    const replay = new ReplayUnderTest(page);
    const cell = new CellUnderTest(page, 2);
    const keys = page.keyboard;
    await replay.wide(640);
    // To the last cell, and into the replay: the slider has the focus.
    await keys.press('Escape');
    // JupyterLab ignores arrows until it has focused the notebook. The last cell is the last stop.
    await expect(async () => {
      await keys.press('ArrowDown');
      await expect(cell.root).toHaveClass(/jp-mod-active/, { timeout: 500 });
    }).toPass();
    await keys.press('ControlOrMeta+Alt+r');
    await expect(replay.slider).toBeFocused();
    await expect(replay.slider).toHaveAttribute('aria-valuemax', '6');
    await replay.wide(640);

    // Play, and stop.
    await keys.press('Home');
    await keys.press(' ');
    await expect(replay.button('Pause')).toBeVisible();
    await keys.press(' ');
    await expect(replay.button('Play')).toBeVisible();

    // Another look of the change.
    await keys.press('Home');
    await keys.press('ArrowRight');
    await expect(replay.slider).toHaveAttribute('aria-valuenow', '2');
    const split = replay.button('Show changes side by side');
    await tabTo(page, split);
    await keys.press('Enter');
    await expect(replay.side('A')).toContainText('"month"');
    await keys.press(' ');
    await expect(replay.side('A')).toHaveCount(0);
    await expect(split).toBeFocused();

    // Copy, and insert below.
    await tabTo(page, replay.more);
    await keys.press('Enter');
    await keys.press('ArrowDown');
    await keys.press('Enter');
    await expect(replay.more).toBeFocused();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toContain('to_period("M")');
    await keys.press('Enter');
    await keys.press('ArrowDown');
    await keys.press('ArrowDown');
    await keys.press('Enter');
    await expect
      .poll(() => sourcesOf(page))
      .toEqual([load, clean, bars, copied]);

    // Restore, then back to what ran clean.
    await tabTo(page, replay.slider, 'Shift+Tab');
    await keys.press('Home');
    await tabTo(page, replay.button('Restore this version'));
    await keys.press('Enter');
    await expect.poll(() => cell.source()).not.toBe(bars);
    await tabTo(page, replay.notebookMenu, 'Shift+Tab');
    await keys.press('Enter');
    await keys.press('ArrowDown');
    await keys.press('Enter');
    await expect.poll(() => cell.source()).toBe(bars);

    // The tabs, by arrows; the notebook as it was.
    await tabTo(page, replay.tab('Cell'), 'Shift+Tab');
    await keys.press('ArrowRight');
    await expect(replay.tab('Notebook')).toBeFocused();
    await tabTo(page, replay.slider);
    await keys.press('Home');
    const then = replay.panel.getByRole('list', {
      name: 'Notebook at this point'
    });
    await expect(then).toBeVisible();

    // A search, opened at its step.
    await tabTo(page, replay.tab('Notebook'), 'Shift+Tab');
    await keys.press('ArrowRight');
    await expect(replay.tab('Search')).toBeFocused();
    await tabTo(page, replay.panel.getByRole('searchbox'));
    await keys.type('legend');
    await expect(replay.panel.locator('mark').first()).toBeVisible();
    await keys.press('ArrowDown');
    await keys.press('Enter');
    await expect(replay.tab('Cell')).toHaveAttribute('aria-selected', 'true');
    await expect(replay.slider).toHaveAttribute('aria-valuetext', /legend/);

    // Who wrote each line, from the sidebar.
    await tabTo(page, replay.notebookMenu, 'Shift+Tab');
    await keys.press('Enter');
    await keys.press('Enter'); // the first entry
    await expect(cell.authors).toHaveCount(6);
    await keys.press('Enter');
    await keys.press('Enter');
    await expect(cell.authors).toHaveCount(0);
  }
);

test('the replay is exported from the sidebar, and opens anywhere', async ({
  page,
  lab,
  open,
  browser
}) => {
  await open(await fullHistory(lab, 'exported'), {
    aiserver: { notebook_id: 'exported' }
  });
  const replay = new ReplayUnderTest(page);
  await replay.open();
  const button = replay.notebookMenu;
  const items = page.getByRole('menuitem');
  const download = async (choose: () => Promise<void>) => {
    const [file] = await Promise.all([page.waitForEvent('download'), choose()]);
    return file;
  };
  const read = async (file: Download) =>
    readFileSync((await file.path())!, 'utf-8');

  // By mouse: a second press closes the menu.
  await button.click();
  await expect(button).toHaveAttribute('aria-expanded', 'true');
  const web = items.filter({ hasText: 'Web Page' });
  await expect(web).toBeVisible();
  await button.click();
  await expect(web).toHaveCount(0);
  await expect(button).toHaveAttribute('aria-expanded', 'false');
  await button.click();
  const html = await download(() => web.click());
  expect(html.suggestedFilename()).toMatch(/-replay\.html$/);

  // By keyboard: the focus comes back to the button.
  await button.focus();
  await page.keyboard.press('Enter');
  await expect(web).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(button).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(web).toBeVisible();
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowUp');
  const md = await download(() => page.keyboard.press('Enter'));
  expect(md.suggestedFilename()).toMatch(/-replay\.md$/);
  expect(await read(md)).toContain('改成柱状图');
  await expect(button).toBeFocused();
  await page.keyboard.press('Enter');
  // The last entry exports the tokens and costs.
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowUp');
  const ipynb = await download(() => page.keyboard.press('Enter'));
  const { cells } = JSON.parse(await read(ipynb));
  const markdown = cells.filter((cell: any) => cell.cell_type === 'markdown');
  expect(JSON.stringify(markdown)).toContain('read the sales');

  // The page, with no network and no server.
  const context = await browser.newContext({ offline: true, locale: 'en-US' });
  const exportPage = await context.newPage();
  const asked: string[] = [];
  exportPage.on('request', request => asked.push(request.url()));
  const exportPath = test.info().outputPath('replay.html');
  await html.saveAs(exportPath);
  await exportPage.goto(pathToFileURL(exportPath).href);
  const time = exportPage.getByRole('slider', { name: 'Notebook timeline' });
  await expect(time).toBeVisible();
  await exportPage.keyboard.press('Home');
  await expect(time).toHaveValue('0');
  await exportPage.keyboard.press('2'); // the whole story
  await expect(exportPage.getByText('改成柱状图').first()).toBeVisible();
  expect(
    asked.filter(url => !url.startsWith('data:') && !url.startsWith('file:'))
  ).toEqual([]);
  await context.close();
});
