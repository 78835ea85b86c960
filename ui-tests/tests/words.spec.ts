/**
 * A question is answered in words, in the prompt row and in the replay.
 */
import { CellUnderTest, ReplayUnderTest } from '../fixtures/cells';
import { expect, test } from '../fixtures/lab';
import { code } from '../fixtures/scripted';

const WORDS =
  'It **counts** the rows.\n\n- `len` gives their number\n- ![x](https://evil.example/x.png)';

test('a question is answered in words, which can be inserted below (P11)', async ({
  page,
  lab,
  openNotebook
}) => {
  const requests: string[] = [];
  page.on('request', request => requests.push(request.url()));
  await openNotebook(['n = len(rows)']);
  const cell = new CellUnderTest(page, 0);
  await lab.model!.script({ text: WORDS }, code('n = len(rows) - 1'));
  await cell.ask('what does this do?');
  await expect(cell.row.locator('strong')).toHaveText('counts');
  await expect(cell.row.getByRole('listitem')).toHaveCount(2);
  await expect(cell.row.locator('img')).toHaveCount(0);
  await expect(cell.button(/^Accept/)).toHaveCount(0);
  await expect(cell.proposal).toHaveCount(0);

  // A follow-up continues the conversation.
  await cell.ask('without the header');
  await expect(cell.proposal).toContainText('- 1');
  const { body } = (await lab.model!.requests())[1];
  expect(JSON.stringify(body.messages)).toContain('It **counts** the rows.');
  await cell.input.press('Escape');

  await lab.model!.script({ text: WORDS });
  await cell.ask('and why?');
  await cell.button('Insert below').click();
  const inserted = new CellUnderTest(page, 1);
  await expect(inserted.root).toHaveClass(/jp-MarkdownCell/);
  expect(await inserted.source()).toBe(WORDS);
  expect(await cell.source()).toBe('n = len(rows)');
  expect(requests.filter(url => url.includes('evil.example'))).toEqual([]);
});

test('the replay shows an answer in words without a change', async ({
  page,
  lab,
  openNotebook
}) => {
  await openNotebook(['n = len(rows)']);
  const cell = new CellUnderTest(page, 0);
  await lab.model!.script({ text: WORDS });
  await cell.ask('what does this do?');
  await expect(cell.row.locator('strong')).toHaveText('counts');
  const replay = new ReplayUnderTest(page);
  await replay.open();
  await expect(replay.panel).toContainText('what does this do?');
  await expect(replay.panel).toContainText('answered');
  await expect(replay.panel.locator('strong', { hasText: 'counts' })).toBeVisible();
});
