/**
 * Requests in a cell, with a scripted model.
 */
import { CellUnderTest } from '../fixtures/cells';
import { expect, type Lab, test } from '../fixtures/lab';
import { code } from '../fixtures/scripted';

const FIRST = "import pandas as pd\ndf = pd.read_csv('data.csv')\ndf.head()";
/** Wait until the model was asked and holds its answer back. */
async function asked(lab: Lab): Promise<void> {
  await expect.poll(async () => (await lab.model!.requests())[0]?.sent).toBe(2);
}

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
    await expect(cell.button(/^Accept$/)).toBeEnabled();
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

test('a further request refines a suggestion, and the diff is against the cell', async ({
  page,
  lab,
  openNotebook
}) => {
  await openNotebook(['original = 1']);
  const cell = new CellUnderTest(page, 0);
  await lab.model!.script(code('refined = 1'), code('refined = 2'));
  await cell.ask('rename it');
  await expect(cell.button(/^Accept$/)).toBeEnabled();
  await cell.ask('and make it two');
  await expect(cell.proposal).toContainText('refined = 2');
  await expect(cell.proposal).toContainText('original = 1');
  expect(await cell.source()).toBe('original = 1');
  await cell.accept();
  expect(await cell.source()).toBe('refined = 2');
  const [, second] = await lab.model!.requests();
  expect(second.body.messages.at(-1)!.content).toContain('refined = 1');
});

test(
  'Stop ends it, nothing is written, and the turn is recorded as cancelled',
  { tag: '@core' },
  async ({ page, lab, openNotebook }) => {
    const file = await openNotebook(['stay = 1']);
    const cell = new CellUnderTest(page, 0);
    await lab.model!.script({ ...code(FIRST), hold_after: 2 });
    await cell.ask('too long');
    await asked(lab);
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

test('a failure is a sentence, and one press tries again', async ({
  page,
  lab,
  openNotebook
}) => {
  // P8, P12: never the provider's own text, never HTML.
  await openNotebook(['']);
  const cell = new CellUnderTest(page, 0);
  await lab.model!.script(
    { status: 401, message: '<b>canary-raw-text</b>' },
    code('works = True')
  );
  await cell.ask('hello');
  const alert = cell.row.getByRole('alert');
  await expect(alert).toContainText('key');
  await expect(page.locator('body')).not.toContainText('canary-raw-text');
  await alert.getByRole('button', { name: 'Try again' }).click();
  await cell.accept();
  expect(await cell.source()).toBe('works = True');
});

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

test(
  'the answer goes to the cell of its request, even if that was moved',
  { tag: '@core' },
  async ({ page, lab, openNotebook }) => {
    // P34
    await openNotebook(['first = 1', 'second = 2']);
    const cell = new CellUnderTest(page, 0);
    await lab.model!.script({ ...code('answer = 42'), hold_after: 2 });
    await cell.ask('for the first');
    await expect(cell.button('Stop')).toBeVisible();
    await page.evaluate(() =>
      (window as any).jupyterapp.shell.currentWidget.content.moveCell(0, 1)
    );
    await lab.model!.release();
    const moved = new CellUnderTest(page, 1);
    await moved.accept();
    expect(await moved.source()).toBe('answer = 42');
    expect(await new CellUnderTest(page, 0).source()).toBe('second = 2');
  }
);

test('if the cell was deleted, nothing is written and the answer is recorded', async ({
  page,
  lab,
  openNotebook
}) => {
  // P34
  const file = await openNotebook(['doomed = 1', 'bystander = 2']);
  const cell = new CellUnderTest(page, 0);
  await lab.model!.script({ ...code('answer = 42'), hold_after: 2 });
  await cell.ask('for the doomed');
  await asked(lab);
  await page.evaluate(() => {
    const { jupyterapp } = window as any;
    const notebook = jupyterapp.shell.currentWidget.content;
    notebook.activeCellIndex = 0;
    return jupyterapp.commands.execute('notebook:delete-cell');
  });
  await lab.model!.release();
  const id = await lab.notebookId(file);
  await expect
    .poll(async () => (await lab.sessions(id))[0]?.interactions.length)
    .toBe(1);
  const sources = await page.evaluate(() =>
    (window as any).jupyterapp.shell.currentWidget.content.widgets.map(
      (cell: any) => cell.model.sharedModel.getSource()
    )
  );
  expect(sources).toEqual(['bystander = 2']);
});

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

test('a request about a DataFrame sends only column names and dtypes', async ({
  page,
  lab,
  openNotebook
}) => {
  // P15: a value of the data never leaves.
  await openNotebook([
    'import pandas as pd\nsales = pd.DataFrame({"价格": [1.5, 2.5], "city": ["canary-value", "b"]}); 1',
    ''
  ]);
  await new CellUnderTest(page, 0).run();
  const cell = new CellUnderTest(page, 1);
  await lab.model!.script(code('sales.describe()'));
  await cell.open();
  await cell.button('More').click();
  await page.getByRole('menuitem', { name: /About a DataFrame/ }).click();
  await page.getByText('sales', { exact: true }).first().click();
  await cell.input.fill('describe it');
  await cell.input.press('Enter');
  await cell.accept();
  const [request] = await lab.model!.requests();
  const last = request.body.messages.map(message => message.content).join('\n');
  expect(last).toContain('价格');
  expect(last).toContain('float64');
  const [{ content }] = request.body.messages.slice(-1);
  expect(content.split('canary-value').length - 1).toBeLessThanOrEqual(1); // the cell's own code
});

test(
  'a second tab shows that the cell is being written',
  { tag: '@core' },
  async ({ page, lab, openNotebook, browser }) => {
    // P33
    const file = await openNotebook(['shared = 1']);
    await page.notebook.save();
    const cell = new CellUnderTest(page, 0);
    await lab.model!.script({ ...code('once = 1'), hold_after: 2 });
    await cell.ask('mine');
    await asked(lab);
    const id = await lab.notebookId(file);
    const second = await page.request.post(`${lab.url}/aiserver/generate`, {
      data: { notebookId: id, cellId: 'ce11-0001', intent: 'me too' }
    });
    expect(second.status()).toBe(409);
    await lab.model!.release();
    await cell.accept();
    expect(await lab.model!.requests()).toHaveLength(1);
    expect(browser.isConnected()).toBe(true);
  }
);

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
