/**
 * Requests in a cell, with a scripted model.
 */
import { CellUnderTest } from '../fixtures/cells';
import { expect, test } from '../fixtures/lab';
import { code } from '../fixtures/scripted';

const FIRST = "import pandas as pd\ndf = pd.read_csv('data.csv')\ndf.head()";
const SECOND =
  "import pandas as pd\ndf = pd.read_csv('data.csv', usecols=['price'])\ndf.head()";

test(
  'an answer is a suggestion until it is accepted, and then one undo step',
  { tag: '@core' },
  async ({ page, lab, openNotebook }) => {
    // P35 and P13: nothing is written before Accept, nothing runs by itself, one undo is enough.
    const before = '# my code 我的代码\nx = 1';
    await openNotebook([before]);
    const cell = new CellUnderTest(page, 0);
    await lab.model!.script({ ...code(SECOND), hold_after: 3 });
    await cell.ask('only the price');
    await lab.model!.sent(3);
    await expect(cell.proposal).toBeVisible();
    await expect(cell.button('Stop')).toBeVisible();
    expect(await cell.source()).toBe(before);
    await lab.model!.release();
    await expect(cell.button(/^Accept$/)).toBeEnabled();
    expect(await cell.source()).toBe(before);

    await cell.accept();
    expect(await cell.source()).toBe(SECOND);
    await expect(cell.output).toHaveCount(0);

    // Typing at once afterwards is a step of its own.
    await cell.editor.click();
    await page.keyboard.press('ControlOrMeta+End');
    await page.keyboard.type('\ny = 2');
    await page.keyboard.press('ControlOrMeta+z');
    expect(await cell.source()).toBe(SECOND);
    await page.keyboard.press('ControlOrMeta+z');
    expect(await cell.source()).toBe(before);
  }
);

test(
  'Shift+Enter in the prompt row never runs the cell',
  { tag: '@core' },
  async ({ page, lab, openNotebook }) => {
    // P35
    await openNotebook(['print("ran " + "it")']);
    const cell = new CellUnderTest(page, 0);
    await lab.model!.script(code('print("new")'));
    await cell.open();
    await cell.input.fill('a wish');
    await cell.input.press('Shift+Enter');
    await expect(cell.input).toHaveValue('a wish\n');
    await cell.input.press('Enter');
    // The first answer of a server takes longest.
    await expect(cell.button(/^Accept$/)).toBeEnabled({ timeout: 45_000 });
    await cell.input.press('Shift+Enter');
    await expect(cell.proposal).toHaveCount(0);
    expect(await cell.source()).toBe('print("new")');
    await expect(cell.output).toHaveCount(0);
  }
);

test(
  'Reject leaves the cell as it was, and is remembered',
  { tag: '@core' },
  async ({ page, lab, openNotebook }) => {
    const file = await openNotebook(['keep = 1']);
    const cell = new CellUnderTest(page, 0);
    await lab.model!.script(code('lost = 1'));
    await cell.ask('something else');
    await cell.button(/^Reject/).click();
    await expect(cell.proposal).toHaveCount(0);
    expect(await cell.source()).toBe('keep = 1');
    const id = await lab.notebookId(file);
    await expect
      .poll(async () =>
        (await lab.sessions(id))[0].events?.map(event => event.type)
      )
      .toEqual(['reject']);
  }
);

test('the second request builds on the first and on what was changed by hand', async ({
  page,
  lab,
  openNotebook
}) => {
  await openNotebook(['', '']);
  const cell = new CellUnderTest(page, 0);
  await lab.model!.script(code(FIRST), code(SECOND), code('of_cell_two = 2'));
  const other = new CellUnderTest(page, 1);

  await cell.ask('读取 data.csv 并显示前5行');
  await cell.accept();
  await cell.editor.click();
  await page.keyboard.press('ControlOrMeta+End');
  await page.keyboard.type('  # by hand');
  await cell.ask("修改为只读取 'price' 列");
  await cell.accept();
  await other.ask('of the second cell');
  await other.accept();

  const [, second, third] = await lab.model!.requests();
  const roles = second.body.messages.map(message => message.role);
  const text = second.body.messages.map(message => message.content).join('\n');
  expect(roles[roles.length - 1]).toBe('user');
  expect(text).toContain('读取 data.csv 并显示前5行');
  expect(
    second.body.messages.some(
      message => message.role === 'assistant' && message.content.includes(FIRST)
    )
  ).toBe(true);
  expect(text).toContain('df.head()  # by hand');
  expect(second.body.messages.at(-1)!.content).toContain(
    "修改为只读取 'price' 列"
  );
  // The other cell's session is separate; its code is sent as part of the notebook.
  const thirdPrompt = third.body.messages
    .map(message => message.content)
    .join('\n');
  expect(thirdPrompt).not.toContain('读取 data.csv');
  expect(thirdPrompt).toContain("usecols=['price']");
});

test(
  'Stop ends it, nothing is written, and the turn is recorded as cancelled',
  { tag: '@core' },
  async ({ page, lab, openNotebook }) => {
    const file = await openNotebook(['stay = 1']);
    const cell = new CellUnderTest(page, 0);
    await lab.model!.script({ ...code(FIRST), hold_after: 2 });
    await cell.ask('too long');
    await lab.model!.sent(2);
    await cell.button('Stop').click();
    await expect(cell.button('Stop')).toHaveCount(0);
    await expect(cell.button(/^Accept$/)).toHaveCount(0);
    expect(await cell.source()).toBe('stay = 1');
    const id = await lab.notebookId(file);
    await expect
      .poll(
        async () =>
          (await lab.sessions(id))[0]?.interactions[0].ai_response.status
      )
      .toBe('cancelled');
    await expect
      .poll(async () => (await lab.model!.requests())[0].outcome)
      .toBe('gone');
  }
);

test(
  'a truncated stream is never offered as a complete answer',
  { tag: '@core' },
  async ({ page, lab, openNotebook }) => {
    // P32
    await openNotebook(['stay = 1']);
    const cell = new CellUnderTest(page, 0);
    await lab.model!.script({ ...code(FIRST), cut_after: 4 });
    await cell.ask('cut me');
    await expect(cell.row.getByRole('alert')).toContainText(
      'interrupted before it was complete'
    );
    await expect(cell.proposal).toBeVisible(); // The part stays on show.
    await expect(cell.button(/^Accept$/)).toHaveCount(0);
    await cell.input.press('Escape');
    await expect(cell.proposal).toHaveCount(0);
    expect(await cell.source()).toBe('stay = 1');
  }
);

test('a new conversation hides past turns from the model', async ({
  page,
  lab,
  openNotebook
}) => {
  await openNotebook(['']);
  const cell = new CellUnderTest(page, 0);
  await lab.model!.script(code('one = 1'), code('two = 2'));
  await cell.ask('the old wish');
  await cell.accept();
  await cell.open();
  await cell.button('More').click();
  await page.getByRole('menuitem', { name: 'New conversation' }).click();
  await cell.ask('the new wish');
  await cell.accept();
  const [, second] = await lab.model!.requests();
  const text = second.body.messages.map(message => message.content).join('\n');
  expect(text).not.toContain('the old wish');
});

test('at the end of a long notebook, the row stays in view while it grows', async ({
  page,
  lab,
  openNotebook
}) => {
  const above = Array.from({ length: 8 }, (_, i) => `a_${i} = ${i}\n\n\n`);
  const data =
    "import pandas as pd\ndf = pd.DataFrame({'城市': ['北京', '上海']})";
  await openNotebook([...above, data, '']);
  await new CellUnderTest(page, above.length).run();
  const cell = new CellUnderTest(page, above.length + 1);
  const lines = Array.from({ length: 9 }, (_, i) => `line_${i} = ${i}\n`);
  const chunks = ['```python\n', ...lines, '```\n'];
  await lab.model!.script({ chunks, hold_after: 0 });
  await cell.focus();
  await page.setViewportSize({ width: 1360, height: 580 });
  await cell.open();
  await expect(cell.row).toContainText('2 rows');
  await expect(cell.row).toBeInViewport({ ratio: 0.99 });
  await cell.input.fill('nine lines');
  await cell.input.press('Enter');
  await expect(cell.button('Stop')).toBeInViewport({ ratio: 1 });
  await lab.model!.release();
  await expect(cell.button(/^Accept$/)).toBeInViewport({ ratio: 1 });
  await expect(cell.row).toBeInViewport({ ratio: 0.99 });
});
