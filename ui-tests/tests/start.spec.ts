/** What the page loads of ours when it starts, and parts that can't be loaded. */
import { CellUnderTest } from '../fixtures/cells';
import { expect, test } from '../fixtures/plain';
import { openLauncher, OurScripts } from '../fixtures/scripts';
import { notebookFile } from '../fixtures/lab';
import { begin } from '../fixtures/shell';

test(
  'the start loads at most 400 KB of our JavaScript',
  { tag: '@core' },
  async ({ page, lab }) => {
    const scripts = new OurScripts(page);
    await openLauncher(page, lab.url);
    const size = await scripts.size();
    expect(size).toBeGreaterThan(100_000);
    expect(size).toBeLessThanOrEqual(400_000);
  }
);

test('a part that cannot be loaded is reported, and can be loaded again', async ({
  page,
  lab
}) => {
  const reason = 'A part of AI Server could not be loaded.';
  const errors: Error[] = [];
  page.on('pageerror', error => errors.push(error));
  await openLauncher(page, lab.url);
  const chunks = '**/lab/extensions/aiserver/static/*.js*';
  await page.route(chunks, route => route.fulfill({ status: 404 }));
  await lab.write('part.ipynb', notebookFile(['x = 1']));
  // The sidebar says it in place of its content.
  await begin(page, 'aiserver:show-replay');
  const sidebar = page.getByRole('region', { name: 'Replay' });
  const alert = sidebar.getByRole('alert');
  await expect(alert).toContainText(reason);
  const retry = alert.getByRole('button', { name: 'Try again' });
  await retry.click();
  await expect(alert).toContainText(reason);

  // A command says it in a notification.
  await begin(page, 'docmanager:open', { path: 'part.ipynb' });
  const cell = new CellUnderTest(page, 0);
  await cell.editor.click();
  await page.keyboard.press('Control+k');
  const message = page.getByRole('alert').filter({ hasText: reason }).last();
  await expect(message).toBeVisible();

  await page.unroute(chunks);
  await retry.click();
  await expect(sidebar.getByRole('tab', { name: 'Cell' })).toBeVisible();
  await message.getByRole('button', { name: 'Try again' }).click();
  await expect(cell.input).toBeFocused();
  expect(errors).toEqual([]);
});
