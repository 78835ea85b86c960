/** The requests of a cell, asked again of another model, and the table that compares the answers. */
import type { Page } from '@playwright/test';

import { violationsIn } from '../fixtures/axe';
import { CellUnderTest, ReplayUnderTest } from '../fixtures/cells';
import { wear } from '../fixtures/dress';
import type { Lab } from '../fixtures/lab';
import { expect, test } from '../fixtures/plain';
import { code } from '../fixtures/scripted';

const FIRST = 'total = n';
const SECOND = 'total = n + 1';

/** Connect a second model, which answers by the same script. */
async function connect(page: Page, lab: Lab): Promise<() => Promise<unknown>> {
  const key = `${lab.url}/aiserver/models/keys/openai_compatible`;
  const address = `${lab.model!.url}/v1`;
  await page.request.put(key, { data: { key: 'k', address } });
  return () => page.request.delete(key);
}

/** Ask for two versions of the second cell, and accept both. */
async function askTwice(page: Page, lab: Lab): Promise<CellUnderTest> {
  const cell = new CellUnderTest(page, 1);
  await lab.model!.script(code(FIRST), code(SECOND));
  await cell.ask('the total');
  await cell.accept();
  await cell.ask('one more');
  await cell.accept();
  return cell;
}

/** Open the form, and choose the second model. */
async function choose(page: Page, replay: ReplayUnderTest): Promise<void> {
  await replay.choose('Ask the history again…');
  const choice = replay.button('Choose a model…');
  await expect(choice).toBeFocused();
  await page.removeLocatorHandler(page.locator('.jp-Dialog'));
  await choice.press('Enter');
  await page
    .locator('.lm-Menu-item', { hasText: 'OpenAI-compatible server' })
    .last()
    .click();
  // The person is asked before code goes to another provider.
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText('OpenAI-compatible server');
  await dialog.getByRole('button').last().click();
  await expect(replay.button(/^Model: scripted/)).toBeVisible();
}

async function sentTexts(lab: Lab): Promise<string> {
  const { messages } = (await lab.model!.requests()).at(-1)!.body;
  return messages.map(({ content }) => content).join('\n');
}

test('another model answers the requests; the table compares the answers', async ({
  page,
  lab,
  open
}) => {
  const disconnect = await connect(page, lab);
  await open(['n = 2', '']);
  const cell = await askTwice(page, lab);
  const replay = new ReplayUnderTest(page);
  await replay.open();
  await replay.wide(300);
  await choose(page, replay);
  await replay.panel.getByRole('checkbox', { name: 'Run each answer' }).check();
  await expect(replay.panel).toContainText('may write files');

  await lab.model!.script(code('other = n'), code('other = missing'));
  await replay.button('Ask 2 requests').click();
  await expect(replay.panel).toContainText('has answered all requests.', {
    timeout: 60_000
  });
  const table = replay.panel.getByRole('table');
  await expect(table).toContainText('the total');
  await expect(table).toContainText('✓');
  await expect(table).toContainText('NameError');
  await expect(table).toContainText('All requests');
  // The second request started from the new answer, and the model didn't get the original ones.
  expect(await sentTexts(lab)).toContain('other = n');
  expect(await sentTexts(lab)).not.toContain(FIRST);
  for (const theme of ['Light', 'Dark'] as const) {
    await wear(page, `JupyterLab ${theme}`);
    await page.screenshot({
      path: test.info().outputPath(`again-${theme}.png`)
    });
    expect(await violationsIn(page, '.jp-AIServer-Replay-again')).toEqual([]);
  }

  // The cell is unchanged, the fresh kernel is gone, and the next request continues as before.
  expect(await cell.source()).toBe(SECOND);
  await expect
    .poll(async () => {
      const sessions = await page.request.get(`${lab.url}/api/sessions`);
      const paths: { path: string }[] = await sessions.json();
      return paths.filter(({ path }) => path.includes('aiserver-')).length;
    })
    .toBe(0);
  await lab.model!.script(code('total = n + 2'));
  await cell.ask('two more');
  await cell.accept();
  expect(await sentTexts(lab)).toContain(SECOND);
  expect(await sentTexts(lab)).not.toContain('other = n');

  // An answer of the branch can be restored; the next request then continues from there.
  await table.getByRole('button', { name: 'the total' }).click();
  await expect(replay.current).toContainText('asked again');
  await replay.button('Restore this version').click();
  expect(await cell.source()).toBe('other = n');
  await lab.model!.script(code('other = n + 3'));
  await cell.ask('three more');
  await cell.accept();
  expect(await sentTexts(lab)).toContain('other = n');
  expect(await sentTexts(lab)).not.toContain(SECOND);
  await disconnect();
});

test('it stops with Esc, continues, and the table is shown again after a reload', async ({
  page,
  lab,
  open
}) => {
  const disconnect = await connect(page, lab);
  await open(['n = 2', '']);
  await askTwice(page, lab);
  const replay = new ReplayUnderTest(page);
  await replay.open();
  await choose(page, replay);
  await lab.model!.script(code('other = n'), {
    ...code('never = 1\nnever = 2'),
    hold_after: 1
  });
  await replay.button('Ask 2 requests').press('Enter');
  await expect(replay.button('Stop')).toBeFocused();
  await expect(replay.panel).toContainText('request 2 of 2');
  await lab.model!.sent(1);
  await page.keyboard.press('Escape');
  const proceed = replay.button('Continue');
  await expect(proceed).toBeFocused();
  await expect(replay.panel).toContainText('1 of 2 answered');
  await lab.model!.script(code('other = n + 1'));
  await proceed.press('Enter');
  await expect(replay.panel).toContainText('has answered all requests.');
  await page.keyboard.press('Escape');
  await expect(replay.more).toBeFocused();

  await page.reload();
  await new CellUnderTest(page, 1).focus();
  await replay.open();
  const repeated = replay.steps.filter({ hasText: 'asked again' });
  await expect(repeated).toHaveCount(2);
  await repeated.first().getByRole('button').click();
  await replay.choose('Compare with the original answers');
  const rows = replay.panel.getByRole('table').getByRole('row');
  await expect(rows.filter({ hasText: 'one more' })).toHaveCount(1);
  await disconnect();
});
