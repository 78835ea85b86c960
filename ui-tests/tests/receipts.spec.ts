/**
 * The receipts of turns: what the model saw, what changed between two turns, tokens and costs
 * (P43, P47).
 */
import * as fs from 'fs';

import { CellUnderTest, ReplayUnderTest } from '../fixtures/cells';
import { wear } from '../fixtures/dress';
import { sessionFile } from '../fixtures/history';
import { expect, test } from '../fixtures/plain';
import { code } from '../fixtures/scripted';

test('the replay shows what the model saw, and what a turn used', async ({
  page,
  lab,
  open
}) => {
  await open(['x = 1', '价格 = [1, 2]']);
  const cell = new CellUnderTest(page, 1);
  const replay = new ReplayUnderTest(page);
  const usage = {
    prompt_tokens: 1200,
    completion_tokens: 30,
    total_tokens: 1230
  };
  await lab.model!.script(
    { ...code('价格 = [1, 2, 3]', 'It adds one.'), usage },
    { ...code('价格 = [3, 2, 1]'), usage }
  );
  await replay.open();
  await cell.ask('加一个价格');
  await cell.accept();
  await cell.ask('sort them');
  await cell.accept();
  const line = replay.panel.locator('.jp-AIServer-Replay-receipt');
  await expect(line).toContainText('1,200 tokens read');
  await expect(line).toContainText('30 written');
  await replay.wide(420);
  await expect(replay.panel.getByText('2,460 tokens')).toBeVisible();

  // By keyboard: the dialog opens, and the focus returns to the button.
  const button = replay.more;
  await button.focus();
  await page.keyboard.press('Enter');
  await expect(replay.entry('What the model saw')).toBeVisible();
  await page.keyboard.press('ArrowUp'); // the last entry
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog');
  await page.removeLocatorHandler(page.locator('.jp-Dialog')); // This one is ours.
  await expect(dialog.getByRole('table')).toContainText('Your request');
  const shown = await dialog.locator('pre').allTextContents();
  const requests = await lab.model!.requests();
  const sent = requests[requests.length - 1].body.messages;
  expect(shown).toEqual(
    sent.map(({ content }: { content: string }) => content)
  );
  for (const theme of ['Light', 'Dark'] as const) {
    await wear(page, `JupyterLab ${theme}`);
    await page.screenshot({
      path: test.info().outputPath(`saw-${theme}.png`)
    });
  }

  // What changed since the first request.
  await dialog.getByRole('combobox').selectOption({ label: '1: 加一个价格' });
  await expect(dialog.getByRole('table')).toContainText('Tokens before');
  await expect(
    dialog.locator('.cm-insertedLine, .cm-changedLine').first()
  ).toBeVisible();
  await page.screenshot({ path: test.info().outputPath('changes.png') });
  await page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);
  await expect(button).toBeFocused();

  // The sums of the notebook, and the table.
  await replay.tab('Notebook').click();
  await expect(replay.panel).toContainText('This notebook: 2,460 tokens');
  await page.screenshot({ path: test.info().outputPath('notebook.png') });
  const download = page.waitForEvent('download');
  await replay.chooseForNotebook('Export Tokens and Costs as CSV');
  const table = fs.readFileSync(await (await download).path(), 'utf-8');
  expect(table.trim().split('\n')).toHaveLength(3);
  expect(table).toContain(',1200,');
});

test('settings: the row warns of today’s costs, and older turns are not summarised', async ({
  page,
  lab,
  open
}) => {
  const settings = `${lab.url}/lab/api/settings/aiserver:ask`;
  const set = (raw: string) => page.request.put(settings, { data: { raw } });
  const spent = JSON.parse(
    sessionFile('spent', 'c', [{ intent: 'x', suggestion: 'x' }])
  );
  spent.interactions[0].timestamp = new Date().toISOString();
  spent.interactions[0].cost = 1.25;
  await lab.write('.aiserver_sessions/spent_c.json', JSON.stringify(spent));
  await set('{"dailyBudget": 1, "condenseTurns": false}');
  await open(['x = 1']);
  const cell = new CellUnderTest(page, 0);
  await cell.open();
  await expect(cell.row).toContainText(
    'cost $1.25, more than your budget of $1.00'
  );
  // It only warns.
  await lab.model!.script(code('x = 2'));
  const request = page.waitForRequest(
    sent => sent.method() === 'POST' && sent.url().includes('/generate')
  );
  await cell.ask('two');
  expect((await request).postDataJSON().condensesTurns).toBe(false);
  await cell.accept();
  await set('{}');
  await page.request.delete(`${lab.url}/aiserver/sessions/spent/c`);
});
