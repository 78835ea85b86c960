/**
 * The data view: DataFrames of a real kernel, their columns, and what a run has changed.
 */
import type { Locator, Page } from '@playwright/test';

import { expectNothingSerious } from '../fixtures/axe';
import { CellUnderTest, ReplayUnderTest } from '../fixtures/cells';
import { expect, openPath, test } from '../fixtures/lab';
import { code } from '../fixtures/scripted';
import { begin, execute } from '../fixtures/shell';

const MAKE = `import pandas as pd

销售 = pd.DataFrame({
    "城市": ["北京", "上海", "北京", None],
    "价格": [3.5, 4.0, 5.0, 9.5],
    "unit price": [1, 2, 3, 4],
})`;
const CHANGE = `销售 = pd.concat([销售, 销售]).drop(columns="城市")
销售["价格"] = 销售["价格"].astype("int64")
销售["数量"] = 7`;
const WAIT = `import os, time
while not os.path.exists("stop.txt"):
    time.sleep(0.05)`;

class DataUnderTest {
  readonly panel: Locator;

  constructor(
    readonly page: Page,
    /** The name of the variable. */
    readonly name = '销售'
  ) {
    this.panel = page.getByRole('region', { name: 'Data', exact: true });
  }

  /** The button of the variable. */
  get head(): Locator {
    const name = new RegExp(`^${this.name} pandas\\.DataFrame`);
    return this.panel.getByRole('button', { name });
  }

  get table(): Locator {
    return this.panel.getByRole('table', { name: `Columns of ${this.name}` });
  }

  row(column: string): Locator {
    return this.table.getByRole('row').filter({
      has: this.page.getByRole('button', { name: column, exact: true })
    });
  }

  async open(): Promise<void> {
    await execute(this.page, 'aiserver:show-data');
    await this.panel.waitFor();
  }
}

test('data is listed, expanded, mentioned and compared after each run (P12, P18)', async ({
  page,
  lab,
  tmpPath,
  openNotebook
}) => {
  await openNotebook([MAKE, CHANGE, WAIT, '']);
  const data = new DataUnderTest(page);
  await data.open();
  await expect(
    data.panel.getByRole('heading', { name: 'No data yet' })
  ).toBeVisible();
  await expect(data.panel).toContainText('stays on this computer');

  await new CellUnderTest(page, 0).run();
  await expect(data.head).toContainText('4 rows × 3 columns');
  await expect(data.head).toContainText('new');
  await data.head.click();
  await expect(data.head).toHaveAttribute('aria-expanded', 'true');
  await expect(data.row('城市')).toContainText('北京');
  await expect(data.row('城市')).toContainText('25% missing');
  await expect(data.row('价格')).toContainText('from 3.5 to 9.5');
  await expect(data.row('价格').locator('rect')).not.toHaveCount(0);

  // By keyboard: the next column, and its details.
  await data
    .row('城市')
    .getByRole('button', { name: '城市', exact: true })
    .focus();
  await page.keyboard.press('ArrowDown');
  await expect(
    data.table.getByRole('button', { name: '价格', exact: true })
  ).toBeFocused();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect(data.table).toContainText('Mean5.5');

  // A narrow sidebar cuts nothing off, in both themes.
  await new ReplayUnderTest(page).wide(300);
  await expectNothingSerious(page, '.jp-AIServer-Data');
  const isCut = (node: HTMLElement) => node.scrollWidth > node.clientWidth;
  expect(await data.panel.evaluate(isCut)).toBe(false);

  // A column and the variable are mentioned in the row of the active cell, which is opened.
  const cell = new CellUnderTest(page, 3);
  await cell.focus();
  await data.table
    .getByRole('button', { name: 'unit price', exact: true })
    .click();
  await expect(cell.input).toHaveValue('@销售."unit price" ');
  await expect(cell.input).toBeFocused();
  await data.panel
    .getByRole('button', { name: 'Ask about this data…' })
    .click();
  await expect(cell.input).toHaveValue('@销售."unit price" @销售 ');
  await cell.input.fill('');
  await cell.input.press('Escape');

  await new CellUnderTest(page, 1).run();
  await expect(data.head).toContainText('+4 rows');
  await expect(data.head).toContainText('1 new column');
  await expect(data.row('价格')).toContainText('was float64');
  await expect(data.row('数量')).toContainText('new');
  await expect(data.panel.getByRole('deletion')).toHaveText('城市');
  await expect(data.row('价格')).toContainText('from 3 to 9');

  // While the kernel is busy, the list stays.
  await new CellUnderTest(page, 2).focus();
  await begin(page, 'notebook:run-cell');
  const status = data.panel.getByRole('status');
  await expect(status).toContainText('The kernel is busy. The list is from');
  await expect(data.row('数量')).toBeVisible();
  await lab.write(`${tmpPath}/stop.txt`, '');
  await expect(status).toHaveText('');

  // Nothing of this is in the kernel's namespace.
  const traces = await page.evaluate(async () => {
    const { sessionContext } = (window as any).jupyterapp.shell.currentWidget;
    const future = sessionContext.session.kernel.requestExecute({
      code: '',
      silent: true,
      user_expressions: {
        names: '[n for n in globals() if "profile" in n or "list_data" in n]'
      }
    });
    const { content } = await future.done;
    return content.user_expressions.names.data['text/plain'];
  });
  expect(traces).toBe('[]');

  // The data disappears with its kernel.
  await page.evaluate(() =>
    (window as any).jupyterapp.shell.currentWidget.sessionContext.shutdown()
  );
  await expect(
    data.panel.getByRole('heading', { name: 'No kernel is running' })
  ).toBeVisible();
  await expect(data.head).toHaveCount(0);
});

test('a question about data has a cell of its own, and is asked again about changed data (P15)', async ({
  page,
  lab,
  openNotebook
}) => {
  await openNotebook([MAKE, CHANGE, '']);
  await new CellUnderTest(page, 0).run();
  const data = new DataUnderTest(page);
  await data.open();
  await data.head.click();

  // The active cell has code, so the row is in a new cell, which is removed if nothing is sent.
  const cells = page.locator(
    '.jp-NotebookPanel:not(.lm-mod-hidden) .jp-Notebook .jp-Cell'
  );
  await data.panel
    .getByRole('button', { name: 'Ask about this data…' })
    .click();
  const added = new CellUnderTest(page, 1);
  await expect(added.input).toHaveValue('@销售 ');
  await expect(added.input).toBeFocused();
  await expect(cells).toHaveCount(4);
  await added.input.press('Escape');
  await expect(cells).toHaveCount(3);

  const cell = new CellUnderTest(page, 2);
  await lab.model!.script(code('1'), code('2'));
  await cell.ask('销售的平均价格'); // At once: the request waits for the kernel's data.
  await cell.accept();
  await new CellUnderTest(page, 1).run();
  await cell.focus();
  const replay = new ReplayUnderTest(page);
  await replay.open();
  await replay.choose('Ask again with today’s data');
  await expect(cell.input).toHaveValue('销售的平均价格');
  await expect(cell.input).toBeFocused();
  await expect(cell.row.locator('.jp-AIServer-Ask-chip')).toHaveText(
    /^销售8 rows × 3 columns/
  );
  expect(await lab.model!.requests()).toHaveLength(1);
  await cell.input.press('Enter');
  await cell.accept();
  const note = replay.panel.getByRole('note');
  await expect(note).toContainText(
    '销售 has changed since the last request with it:'
  );
  await expect(note).toContainText('+ 数量 (int64)');
  await expect(note).toContainText('− 城市');
  await expect(note).toContainText('价格: float64 → int64');
  await expect(note).toContainText('4 more rows');
});

test.describe('kernels that restart', () => {
  // Galata's own answers about kernels leave JupyterLab's status at “starting” after a restart.
  test.use({ kernels: null, sessions: null });
  test.afterEach(({ page }) =>
    page.evaluate(() =>
      (window as any).jupyterapp.serviceManager.sessions.shutdownAll()
    )
  );

  test('each notebook has the data of its own kernel, until the kernel restarts (P15, P18)', async ({
    page,
    lab,
    openNotebook
  }) => {
    const make = (columns: string) =>
      `import pandas as pd\n\ndf = pd.DataFrame({${columns}}, index=[1, 2])`;
    const data = new DataUnderTest(page, 'df');
    const creation = new CellUnderTest(page, 0);
    const cell = new CellUnderTest(page, 1);
    const chip = cell.row.locator('.jp-AIServer-Ask-chip');
    const sent = async () =>
      JSON.stringify((await lab.model!.requests()).at(-1)!.body.messages);
    const type = async (size: string) => {
      await cell.open();
      await cell.input.fill('the mean of df');
      await expect(chip).toContainText(size);
    };
    await lab.model!.script(code('1'), code('2'));

    // Two notebooks side by side, each with another DataFrame of the same name.
    const first = await openNotebook(
      [make('"region": "a", "price": 1.5'), ''],
      {
        name: 'first.ipynb'
      }
    );
    await data.open();
    await creation.run();
    await data.head.click();
    await expect(data.row('region')).toBeVisible();
    const second = await openNotebook(
      [make('"sensor": "x", "level": "y", "value": 7'), ''],
      {
        name: 'second.ipynb'
      }
    );
    await creation.run();
    await expect(data.head).toContainText('2 rows × 3 columns');
    await data.head.click();
    await expect(data.row('sensor')).toBeVisible();
    await expect(data.row('region')).toHaveCount(0);
    await type('2 rows × 3 columns');
    await cell.input.press('Enter');
    await cell.accept();
    expect(await sent()).toContain("'value': int64");
    expect(await sent()).not.toContain("'price': float64");
    await openPath(page, first);
    await expect(data.row('region')).toBeVisible();
    await expect(data.row('sensor')).toHaveCount(0);

    // After a restart, neither the view nor the open row has the former data. JupyterLab's status may
    // stay “starting” until the next run.
    await type('2 rows × 2 columns');
    await page.removeLocatorHandler(page.locator('.jp-Dialog')); // This one is ours.
    const restarted = execute(page, 'notebook:restart-kernel');
    await page.getByRole('button', { name: 'Confirm Kernel Restart' }).click();
    await restarted;
    await expect(data.head).toHaveCount(0);
    await expect(data.panel).toContainText(
      /The kernel is starting|No data yet/
    );
    await expect(chip).toHaveCount(0);
    await cell.input.press('Enter');
    await cell.accept();
    expect(await sent()).not.toContain("'price': float64");

    // The next run fills the view again. The other kernel wasn't restarted.
    await creation.focus();
    await begin(page, 'notebook:run-cell');
    await expect(data.row('region')).toBeVisible();
    await openPath(page, second);
    await expect(data.row('sensor')).toBeVisible();
  });
});

test('the data of a real R kernel is listed, profiled and described in requests (P18)', async ({
  page,
  lab,
  openNotebook
}) => {
  await openNotebook(
    [
      'sales <- data.frame(city = c("北京", NA, "上海", "北京"), price = c(3.5, 4, 5, 9.5))',
      ''
    ],
    {
      metadata: {
        kernelspec: { display_name: 'R', name: 'ir' },
        language_info: undefined
      }
    }
  );
  const data = new DataUnderTest(page);
  await data.open();
  await expect(data.panel).toContainText('sales <- read.csv("sales.csv")');
  await new CellUnderTest(page, 0).run();
  const head = data.panel.getByRole('button', { name: /^sales data\.frame/ });
  await expect(head).toContainText('4 rows × 2 columns');
  await head.click();
  const table = data.panel.getByRole('table', { name: 'Columns of sales' });
  await expect(
    table.getByRole('row').filter({ hasText: 'city' })
  ).toContainText('25% missing');
  await expect(table).toContainText('from 3.5 to 9.5');

  // A request contains the columns as well.
  const cell = new CellUnderTest(page, 1);
  await lab.model!.script({ text: '```r\nmean(sales$price)\n```' });
  await cell.open();
  await cell.input.fill('the mean of sales');
  await expect(cell.row.locator('.jp-AIServer-Ask-chip')).toContainText(
    '4 rows × 2 columns'
  );
  await cell.input.press('Enter');
  await cell.accept();
  const requests = await lab.model!.requests();
  const { messages } = requests[requests.length - 1].body;
  expect(JSON.stringify(messages)).toContain("'price': numeric");
});
