/** Several answers to one request: as tabs, of which one is accepted. */

import { violationsIn } from '../fixtures/axe';
import { CellUnderTest, ReplayUnderTest } from '../fixtures/cells';
import { wear } from '../fixtures/dress';
import { expect, test } from '../fixtures/plain';
import { code } from '../fixtures/scripted';

test('the answers to a request are tabs; an edited one is accepted', async ({
  page,
  lab,
  open
}) => {
  await open(['x = 1\ny = 1']);
  const cell = new CellUnderTest(page, 0);
  const replay = new ReplayUnderTest(page);
  await lab.model!.script(
    code('x = 2\ny = 1', 'It is two.'),
    code('x = 3\ny = 1\nz = 1'),
    code('x = 5')
  );
  await cell.ask('增加 x');
  // The first answer of a server takes longest.
  await expect(cell.button(/^Accept$/)).toBeEnabled({ timeout: 45_000 });
  await expect(cell.row.getByRole('tab')).toHaveCount(0);

  // Another answer is a second tab.
  await cell.button('Regenerate').click();
  const tabs = cell.row.getByRole('tab');
  await expect(tabs).toHaveCount(2);
  await expect(tabs.nth(1)).toHaveAttribute('aria-selected', 'true');
  await expect(tabs.nth(1)).toContainText('scripted');
  await expect(cell.proposal).toContainText('z = 1');
  for (const theme of ['Light', 'Dark'] as const) {
    await wear(page, `JupyterLab ${theme}`);
    await page.screenshot({
      path: test.info().outputPath(`answers-${theme}.png`)
    });
    expect(await violationsIn(page, '.jp-AIServer-Ask')).toEqual([]);
  }

  // By keyboard, back to the first one.
  await tabs.nth(1).focus();
  await page.keyboard.press('ArrowLeft');
  await expect(tabs.nth(0)).toBeFocused();
  await expect(tabs.nth(0)).toHaveAttribute('aria-selected', 'true');
  await expect(cell.proposal).not.toContainText('z = 1');
  await expect(cell.row).toContainText('It is two.');
  await cell.accept();
  expect(await cell.source()).toBe('x = 2\ny = 1');

  // The next request continues from the accepted answer.
  await cell.open();
  await expect(cell.row).toContainText('增加 x');
  await cell.ask('five');
  await cell.accept();
  const { messages } = (await lab.model!.requests()).at(-1)!.body;
  const sent = messages.map(({ content }) => content).join('\n');
  expect(sent).toContain('x = 2');
  expect(sent).not.toContain('z = 1');
  await replay.open();
  // Existing content, the request with its two answers, and the last request (P49).
  await expect(replay.steps).toHaveCount(3);
});
