/**
 * The pictures of README and docs, and proof that each screen can be drawn in both themes, narrow,
 * with long and with Chinese text. With AISERVER_PICTURES=1 (`make pictures`) those that the README
 * shows are written to docs/images.
 */
import type { Page } from '@playwright/test';
import * as path from 'node:path';

import { CellUnderTest, ReplayUnderTest } from '../fixtures/cells';
import { wear } from '../fixtures/dress';
import { expect, test } from '../fixtures/lab';
import { code } from '../fixtures/scripted';

const LOAD =
  'import pandas as pd\n\nsales = pd.read_csv("sales.csv", parse_dates=["date"])\nsales.head()';
const MONTHLY = `monthly = (
    sales.groupby("month")["revenue"]
    .sum()
)
monthly.plot(title="Revenue")`;
const BY_HAND = MONTHLY.replace('"month"', 'sales["date"].dt.to_period("M")');
const BARS = `monthly = (
    sales.groupby(sales["date"].dt.to_period("M"))["revenue"]
    .agg(["sum", "count"])
)
ax = monthly["sum"].plot.bar(title="每月收入")
ax.set_ylabel("CNY")`;
const LONG =
  'Plot the revenue by month as a bar chart with the number of orders as a second axis, ' +
  'a title in Chinese, the legend outside on the right, and save it as revenue.png with 200 dpi ' +
  'without showing it twice in the notebook';

async function picture(page: Page, name: string): Promise<void> {
  const published = process.env.AISERVER_PICTURES && name.startsWith('replay-');
  const folder = published
    ? path.resolve(__dirname, '..', '..', 'docs', 'images')
    : test.info().outputPath();
  // The pointer and the caret belong to no picture.
  await page.mouse.move(0, 0);
  await page.screenshot({
    path: path.join(folder, `${name}.png`),
    caret: 'hide',
    animations: 'disabled'
  });
}

/** Hide what does not belong to the product: file browser, status bar. */
async function tidy(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const { commands, shell } = (window as any).jupyterapp;
    if (!shell.leftCollapsed) {
      await commands.execute('application:toggle-left-area');
    }
  });
}

for (const dark of [false, true]) {
  const mode = dark ? 'dark' : 'light';

  test(`the screens, ${mode}`, async ({ page, lab, openNotebook }) => {
    test.setTimeout(180_000);
    const file = await openNotebook([LOAD, '', ''], { name: 'sales.ipynb' });
    await tidy(page);
    await wear(page, dark ? 'JupyterLab Dark' : 'JupyterLab Light');
    const cell = new CellUnderTest(page, 1);
    const replay = new ReplayUnderTest(page);

    // Nothing yet.
    await replay.open();
    await cell.focus();
    await expect(replay.panel).toContainText('Ctrl');
    await picture(page, `empty-${mode}`);

    // A first answer, changed by hand.
    await lab.model!.script(
      code(MONTHLY, 'It sums the revenue of each month and plots it.'),
      { status: 429, retry_after: 40 },
      { ...code(BARS), hold_after: 8 },
      code(
        BARS,
        'Bars with a Chinese title; the count of orders is the second column.'
      )
    );
    await cell.ask('Plot revenue by month');
    await cell.accept();
    await cell.focus();
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.insertText(BY_HAND);
    expect(await cell.source()).toBe(BY_HAND);

    // It fails, it streams, it is done.
    await cell.ask('改成柱状图，标题用中文，并统计每月订单数');
    await expect(cell.row.getByRole('alert')).toBeVisible();
    await picture(page, `error-${mode}`);
    await cell.button('Try again').click();
    await expect
      .poll(async () => (await lab.model!.requests()).at(-1)!.sent)
      .toBe(8);
    await expect(cell.proposal).toBeVisible();
    await picture(page, `streaming-${mode}`);
    await cell.button('Stop').click();
    await expect(cell.button('Stop')).toHaveCount(0);
    await cell.ask('改成柱状图，标题用中文，并统计每月订单数');
    await expect(cell.button(/^Accept$/)).toBeEnabled();
    // The failed and the stopped attempt belong to the request's step (P49).
    await expect(replay.steps).toHaveCount(3);
    await replay.steps.nth(1).getByRole('button').click();
    await picture(page, `replay-${mode}`);
    await cell.accept();

    // The overview, a narrow sidebar, a long wish.
    await replay.tab('Notebook').click();
    await picture(page, `overview-${mode}`);
    await replay.tab('Cell').click();
    await lab.model!.script(
      code(BARS + '\nax.figure.savefig("revenue.png", dpi=200)')
    );
    await cell.ask(LONG);
    await expect(cell.button(/^Accept$/)).toBeEnabled();
    await page.setViewportSize({ width: 820, height: 800 });
    await picture(page, `narrow-${mode}`);
    await page.setViewportSize({ width: 1360, height: 800 });
    expect(
      (await lab.sessions(await lab.notebookId(file)))[0].interactions
    ).toHaveLength(5);
  });
}
