/**
 * A table with Chinese column names, and questions about it, answered by the embedded model. The
 * data is seen in the data view, a result is explained, and the data changes between two requests.
 */

import { CellUnderTest, ReplayUnderTest } from '../fixtures/cells';
import { expect, test } from '../fixtures/lab';

test.use({ modelKind: 'embedded' });
test.setTimeout(420_000);

const ANSWER = 180_000; // ms: one thread, maybe on a busy machine

const DATA = `日期,城市,产品,单价（元）,数量
2026-01-01,北京,茶,11.5,3
2026-01-02,上海,咖啡,22.5,1
2026-01-03,北京,咖啡,33.5,7
2026-01-04,广州,茶,44.5,2
2026-01-05,上海,茶,55.5,8
`;

test('the columns of a Chinese table are used as they are spelled', async ({
  page,
  lab,
  tmpPath,
  openNotebook
}) => {
  await lab.write(`${tmpPath}/销售.csv`, DATA);
  await openNotebook([
    '',
    '',
    '',
    '',
    'for _name in list(globals()):\n    if type(globals()[_name]).__name__ == "DataFrame":\n        globals()[_name]["折扣"] = 0.9',
    ''
  ]);
  const answer = async (index: number, intent: string) => {
    const cell = new CellUnderTest(page, index);
    await cell.open();
    await cell.ask(intent);
    await cell.accept(ANSWER);
    await cell.run();
    return cell;
  };
  const table = await answer(0, '读取 销售.csv');
  await expect(table.output.first()).toContainText('单价（元）');

  const sums = await answer(1, '每个城市的数量总和');
  await expect(sums.output.first()).toContainText(/北京\s*10/);
  await expect(sums.output.first()).toContainText(/上海\s*9/);

  const sorted = await answer(2, '按 数量 从大到小排序');
  await expect(sorted.output.first()).toContainText(
    /55\.5[^]*33\.5[^]*11\.5[^]*44\.5[^]*22\.5/
  );

  // The request leaves out a part of the column's name.
  const mean = await answer(3, '单价 的平均值');
  await expect(mean.output.first()).toContainText('33.5');
  expect(await mean.source()).toContain('单价（元）');

  // By keyboard: a column is picked in the data view, asked about, and the result explained.
  const command = async (label: string) => {
    await page.keyboard.press('ControlOrMeta+Shift+c');
    await page.locator('.lm-CommandPalette-input').fill(label);
    await page.keyboard.press('Enter');
  };
  const cell = new CellUnderTest(page, 5);
  await cell.focus();
  await command('Show Data');
  const data = page.getByRole('region', { name: 'Data', exact: true });
  const heads = data.getByRole('button', { name: /pandas\.DataFrame/ });
  const head = heads.filter({ hasText: '5 rows × 5 columns' }).first();
  await expect(heads.first()).toBeFocused();
  await head.press('Enter');
  await data
    .getByRole('button', { name: '日期', exact: true })
    .press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await expect(
    data.getByRole('button', { name: '单价（元）', exact: true })
  ).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(cell.input).toHaveValue(/^@\w+\."单价（元）" $/);
  const chips = cell.row.locator('.jp-AIServer-Ask-chip');
  await expect(chips.first()).toContainText('5 rows × 5 columns');
  await page.keyboard.type('的最大值');
  await page.keyboard.press('Enter');
  await expect(cell.button(/^Accept$/)).toBeEnabled({ timeout: ANSWER });
  await page.keyboard.press('Shift+Enter');
  await cell.run();
  await expect(cell.output.first()).toContainText('55.5');
  await command('Explain This Cell’s Result');
  await expect(cell.input).toHaveValue('/explain @output ');
  await expect(cell.input).toBeFocused();
  await page.keyboard.press('Enter');
  await cell.button('Insert below').press('Enter', { timeout: ANSWER });

  // The data is changed by hand, and the request is refined.
  await new CellUnderTest(page, 4).run();
  await cell.open();
  await cell.input.fill('改为最小值');
  await expect(chips.first()).toContainText('5 rows × 6 columns');
  await cell.input.press('Enter');
  await cell.accept(ANSWER);
  await cell.focus();
  const replay = new ReplayUnderTest(page);
  await replay.open();
  await expect(replay.panel.getByRole('note')).toContainText(
    '+ 折扣 (float64)'
  );
});

test('a column misspelt in the request is corrected, which is said (P41, P49)', async ({
  page,
  openNotebook
}) => {
  await openNotebook([
    'import pandas as pd\n\ndf = pd.DataFrame({"城市": ["北京", "上海"], "价格": [3, 4]})',
    ''
  ]);
  await new CellUnderTest(page, 0).run();
  const cell = new CellUnderTest(page, 1);
  await cell.open();
  await cell.ask("df['价格格'].mean()");
  await expect(cell.row).toContainText('价格格 → 价格', { timeout: ANSWER });
  await cell.accept();
  expect(await cell.source()).not.toContain('价格格');
  await cell.run();
  await expect(cell.output.first()).toContainText('3.5');
});
