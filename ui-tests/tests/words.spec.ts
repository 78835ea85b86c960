/**
 * Questions that are answered in words, in the prompt row and in the replay; and slash words.
 */
import { CellUnderTest, ReplayUnderTest } from '../fixtures/cells';
import { expect, test } from '../fixtures/lab';
import { code } from '../fixtures/scripted';

const WORDS =
  'It **counts** the rows.\n\n- `len` gives their number\n- ![x](https://evil.example/x.png)';

test(
  'a question is answered in words, which can be inserted below (P11)',
  { tag: '@core' },
  async ({ page, lab, openNotebook }) => {
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
    await cell.reject();
    await expect(cell.row).toHaveCount(0);

    await lab.model!.script({ text: WORDS });
    await cell.ask('and why?');
    await cell.button('Insert below').click();
    const inserted = new CellUnderTest(page, 1);
    await expect(inserted.root).toHaveClass(/jp-MarkdownCell/);
    expect(await inserted.source()).toBe(WORDS);
    expect(await cell.source()).toBe('n = len(rows)');
    // The replay shows the words, without a change of the code.
    await cell.focus();
    const replay = new ReplayUnderTest(page);
    await replay.open();
    await expect(replay.panel).toContainText('and why?');
    await expect(replay.panel).toContainText('answered');
    await expect(
      replay.panel.locator('strong', { hasText: 'counts' })
    ).toBeVisible();
    expect(requests.filter(url => url.includes('evil.example'))).toEqual([]);
  }
);

test('a slash word is completed by keyboard or mouse, and names the mode', async ({
  page,
  lab,
  openNotebook
}) => {
  await openNotebook(['n = len(rows)']);
  const cell = new CellUnderTest(page, 0);
  await cell.open();
  const options = page
    .getByRole('listbox', { name: 'Suggestions for the request' })
    .getByRole('option');
  await cell.input.pressSequentially('/e');
  await expect(options).toHaveText([/^\/explain/, /^\/edit/]);
  await cell.input.press('Escape');
  await expect(options).toHaveCount(0);
  await expect(cell.input).toHaveValue('/e');
  await cell.input.press('Backspace');
  await expect(options).toHaveCount(11); // the ten modes, and /remember
  await cell.input.press('ArrowDown');
  await expect(options.nth(1)).toHaveAttribute('aria-selected', 'true');
  await lab.model!.script(
    { text: WORDS },
    code('n = len(rows)  # all'),
    code('n = 1')
  );
  await cell.input.press('Enter');
  await cell.input.press('Enter');
  await expect(cell.row.locator('strong')).toHaveText('counts');

  await cell.input.fill('/');
  await options.filter({ hasText: '/document' }).click();
  await expect(cell.input).toBeFocused();
  await cell.input.pressSequentially('shortly');
  await cell.input.press('Enter');
  await cell.accept();
  const { body } = (await lab.model!.requests())[1];
  expect(body.messages.at(-1)!.content).toMatch(
    /Change nothing else\.\nshortly$/
  );

  // Other words can name a mode, too.
  await cell.ask('make it faster');
  await expect(cell.button(/^Accept$/)).toBeEnabled();
  const replay = new ReplayUnderTest(page);
  await replay.open();
  await expect(replay.panel.getByTitle('Kind of request')).toHaveText(
    '/optimise'
  );
});
