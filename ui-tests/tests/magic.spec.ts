/**
 * A request by `%%ai` is answered in the output, and can then be reviewed in the cell.
 */
import { CellUnderTest, ReplayUnderTest } from '../fixtures/cells';
import { expect, test } from '../fixtures/lab';

const ANSWER =
  '```python\ntotal = 6 * 7\n```\nIt **multiplies**. ![x](https://evil.example/x.png) <img src="https://evil.example/y.png">';

test('the answer to %%ai is shown, recorded for its cell and accepted there (P11, P13)', async ({
  page,
  lab,
  openNotebook
}) => {
  const requests: string[] = [];
  page.on('request', request => requests.push(request.url()));
  const source = '%%ai\n计算总和';
  const file = await openNotebook(['%load_ext aiserver', source]);
  const replay = new ReplayUnderTest(page);
  await replay.open();
  await new CellUnderTest(page, 0).run();

  await lab.model!.script({ text: ANSWER });
  const cell = new CellUnderTest(page, 1);
  await cell.run();
  await expect(cell.output.locator('pre')).toContainText('total = 6 * 7');
  await expect(cell.output.locator('strong').first()).toHaveText('multiplies');
  await expect(cell.output.locator('img')).toHaveCount(0);
  expect(await cell.source()).toBe(source);
  expect(requests.filter(url => url.includes('evil.example'))).toEqual([]);

  // The notebook had no id, and the sidebar shows the turn at once.
  await cell.focus();
  await expect(replay.steps.filter({ hasText: '计算总和' })).toHaveCount(1);
  await expect.poll(() => lab.notebookId(file)).toBeTruthy(); // The page saves the notebook.

  await cell.focus();
  await page.keyboard.press('ControlOrMeta+k');
  await expect(cell.proposal).toContainText('total = 6 * 7');
  await cell.accept();
  expect(await cell.source()).toBe('total = 6 * 7');
  await expect(replay.panel).toContainText('accepted');
});
