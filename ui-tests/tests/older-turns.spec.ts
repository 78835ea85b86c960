/**
 * Older requests that don't fit any more are summarised, and the receipt shows the summary (P43).
 */
import { CellUnderTest, ReplayUnderTest } from '../fixtures/cells';
import { expect, test } from '../fixtures/plain';
import { code } from '../fixtures/scripted';

const SUMMARY = '- our colour is #336699\n- 保留两位小数';

test('the next request contains a summary of the older ones', async ({
  page,
  lab,
  open
}) => {
  test.slow();
  const file = await open(['x = 1']);
  const cell = new CellUnderTest(page, 0);
  await lab.model!.script(code('x = 2'));
  await cell.ask('two');
  await cell.accept();
  const id = await lab.notebookId(file);
  for (let i = 0; i < 52; i++) {
    const data = {
      notebookId: id,
      cellId: 'ce11-0001',
      intent: `again ${i}.`,
      condensesTurns: false
    };
    const headers = { Accept: 'application/json' };
    const url = `${lab.url}/aiserver/generate`;
    const answer = await page.request.post(url, { data, headers });
    expect(answer.ok()).toBe(true);
  }

  const before = (await lab.model!.requests()).length;
  await lab.model!.script(code('x = 3'), { text: SUMMARY });
  await cell.ask('three');
  await cell.accept();
  const events = async () => (await lab.sessions(id))[0].events ?? [];
  await expect
    .poll(async () => (await events()).map(({ type }) => type))
    .toContain('condensed_turns');
  const requests = await lab.model!.requests();
  expect(requests).toHaveLength(before + 2);
  expect(requests.at(-1)!.body.messages[1].content).toContain('again 2.');

  await cell.open();
  await cell.input.fill('four');
  await cell.button('More').click();
  await page.getByRole('menuitem', { name: 'Show What Will Be Sent' }).click();
  const dialog = page.getByRole('dialog');
  await page.removeLocatorHandler(page.locator('.jp-Dialog')); // This one is ours.
  await expect(dialog.getByRole('table')).toContainText(
    /Summary of \d+ older requests/
  );
  await expect(dialog).toContainText('our colour is #336699');
  await page.screenshot({ path: test.info().outputPath('summary.png') });
  await page.keyboard.press('Escape');

  await lab.model!.script(code('x = 4'));
  await cell.input.press('Enter');
  await cell.accept();
  const sent = (await lab.model!.requests()).at(-1)!.body.messages;
  const text = sent.map(({ content }) => content).join('\n');
  expect(text).toContain(SUMMARY);

  // The summary is no step of the replay.
  const replay = new ReplayUnderTest(page);
  await replay.open();
  await expect(replay.panel).not.toContainText('our colour');
});
