/** An agent works in an open notebook by the server's tools; the person decides and undoes. */
import { galata } from '@jupyterlab/galata';
import type { Page } from '@playwright/test';

import { Agent, digest } from '../fixtures/agent';
import { CellUnderTest, ReplayUnderTest } from '../fixtures/cells';
import { expect, test } from '../fixtures/lab';
import { execute, idsOf, setSource, sourcesOf } from '../fixtures/shell';

const LOAD = "df = pd.read_csv('sales.csv')\ndf.describe()";
const BETTER = "df = pd.read_csv('sales.csv', sep=';')\ndf.describe()";

/** The ids of the cells, once they are there. */
async function loadedIds(page: Page, count: number): Promise<string[]> {
  await expect.poll(() => idsOf(page)).toHaveLength(count);
  return idsOf(page);
}

/** Open the notebook's tab of the sidebar. */
async function openReplay(page: Page, index: number): Promise<ReplayUnderTest> {
  await new CellUnderTest(page, index).focus();
  await execute(page, 'aiserver:show-replay');
  const replay = new ReplayUnderTest(page);
  await replay.tab('Notebook').click();
  return replay;
}

test(
  'a proposal waits in its cell, is accepted, and the run is undone beside a change by hand',
  { tag: '@core' },
  async ({ page, lab, openNotebook }) => {
    // P52, P53
    const path = await openNotebook(['import pandas as pd', LOAD]);
    const agent = new Agent(lab.url);
    const [, cell] = await loadedIds(page, 2);
    const { run } = await agent.use('run_begin', {
      path,
      intent: 'read the right separator'
    });
    const edit = { run, cell, intent: 'use semicolons', source: BETTER };
    const { proposal } = await agent.use('cell_edit', {
      ...edit,
      base: digest(LOAD)
    });
    const stale = await agent.use('cell_edit', { ...edit, base: digest('x') });
    expect(stale.now[0].source).toBe(LOAD);
    const shown = new CellUnderTest(page, 1);
    await expect(shown.row).toContainText('Codex');
    await expect(shown.row).toContainText('use semicolons');
    await page.screenshot({ path: test.info().outputPath('proposal.png') });
    await shown.accept();
    expect(await sourcesOf(page)).toEqual(['import pandas as pd', BETTER]);
    const status = { run, cell, proposal, wait: 10 };
    expect(await agent.use('proposal_status', status)).toEqual({
      status: 'accepted'
    });
    await agent.use('run_end', { run, summary: 'It reads semicolons now.' });

    await setSource(page, 1, `${BETTER}\nmine = 1`);
    const replay = await openReplay(page, 1);
    await replay.panel
      .getByRole('button', { name: /Codex.*read the right separator/ })
      .click();
    await page.screenshot({ path: test.info().outputPath('runs.png') });
    await replay.panel.getByRole('button', { name: 'Undo run…' }).click();
    const dialog = page.getByRole('dialog');
    await page.screenshot({ path: test.info().outputPath('undo.png') });
    await dialog.getByRole('button', { name: 'Undo', exact: true }).click();
    await expect
      .poll(() => sourcesOf(page))
      .toEqual(['import pandas as pd', `${LOAD}\nmine = 1`]);
    await replay.panel.getByRole('button', { name: 'Redo' }).click();
    await expect
      .poll(() => sourcesOf(page))
      .toEqual(['import pandas as pd', `${BETTER}\nmine = 1`]);

    // What both have changed stays, and is a diff in the cell.
    const mine = BETTER.replace("';'", "'|'");
    await setSource(page, 1, mine);
    await replay.panel.getByRole('button', { name: 'Undo run…' }).click();
    await dialog.getByRole('button', { name: 'Undo', exact: true }).click();
    await expect(shown.row).toContainText('Both changed these lines');
    await page.screenshot({ path: test.info().outputPath('conflict.png') });
    expect(await sourcesOf(page)).toEqual(['import pandas as pd', mine]);
    await shown.accept();
    expect(await sourcesOf(page)).toEqual(['import pandas as pd', LOAD]);
  }
);

test('an agent that may edit changes the open notebook, in one undo step', async ({
  page,
  lab,
  openNotebook
}) => {
  // P52, P55
  const path = await openNotebook([LOAD, 'x = 1']);
  const agent = new Agent(lab.url);
  const [cell] = await loadedIds(page, 2);
  const { run } = await agent.use('run_begin', { path, intent: 'tidy up' });
  const replay = await openReplay(page, 0);
  await replay.panel.getByRole('button', { name: /Codex.*tidy up/ }).click();
  await replay.panel
    .getByRole('combobox', { name: /Codex/ })
    .selectOption('edit');
  await expect
    .poll(async () => {
      const outline = await agent.use('notebook_outline', { path });
      return outline.permission;
    })
    .toBe('edit');
  const change = { run, cell, intent: 'use semicolons', mode: 'apply' };
  const done = await agent.use('cell_edit', {
    ...change,
    base: digest(LOAD),
    source: BETTER
  });
  expect(done).toMatchObject({ applied: true, source: BETTER });
  await agent.use('cell_insert', {
    run,
    after: cell,
    source: 'df.head()',
    intent: 'look at it',
    mode: 'apply'
  });
  expect(await sourcesOf(page)).toEqual([BETTER, 'df.head()', 'x = 1']);
  const base = digest('df.head()');
  const [, inserted] = await idsOf(page);
  const remove = { run, cell: inserted, base, intent: 'remove it' };
  const asked = page.getByRole('alert').filter({ hasText: 'Codex asks to' });
  const decide = async (answer: string, asking: Promise<any>) => {
    await asked.getByRole('button', { name: answer }).click();
    return asking;
  };
  const removal = agent.use('cell_delete', remove);
  await expect(asked).toContainText('delete a cell of');
  await page.screenshot({ path: test.info().outputPath('asked.png') });
  expect(await decide('Don’t allow', removal)).toMatchObject({
    refused: 'The person doesn’t allow it.'
  });
  const code = agent.use('scratch_run', { run, code: '6 * 7\n' });
  await asked.getByRole('button', { name: 'Show' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog.locator('pre')).toHaveText('6 * 7\n');
  await page.screenshot({ path: test.info().outputPath('asked-code.png') });
  await dialog.getByRole('button', { name: 'Allow once' }).click();
  expect(await code).toMatchObject({ status: 'ok' });
  const id = await lab.notebookId(path);
  await expect
    .poll(async () => {
      const [session] = (await lab.records(id)).filter(
        ({ meta }) => meta.cell_id === cell
      );
      const [last] = (session?.events ?? []).slice(-1);
      return [last?.contributor?.name, last?.run, last?.source];
    })
    .toEqual(['Codex', run, BETTER]);
  // One undo step in the notebook, and one in the cell.
  await page.evaluate(() =>
    (
      window as any
    ).jupyterapp.shell.currentWidget.content.model.sharedModel.undo()
  );
  expect(await sourcesOf(page)).toEqual([BETTER, 'x = 1']);
});

const DATA =
  "import pandas as pd\nsales = pd.DataFrame({'city': ['canary'] * 8, 'price': range(8)})";

test.describe('with statistics for agents', () => {
  test.use({
    mockSettings: {
      ...galata.DEFAULT_SETTINGS,
      'aiserver:replay': { briefingAfterDays: 0 },
      'aiserver:agents': { data: 'statistics' }
    }
  });

  test('an agent checks code, sees what the settings allow, and splits a cell', async ({
    page,
    lab,
    openNotebook
  }) => {
    // P55
    const path = await openNotebook([DATA, 'x = 1\ny = 2']);
    await new CellUnderTest(page, 0).run();
    const agent = new Agent(lab.url);
    const [, cell] = await loadedIds(page, 2);
    const code = { path, cell, source: "sales['prise'].mean()" };
    await expect
      .poll(async () => (await agent.use('check_code', code)).problems)
      .toMatchObject([{ kind: 'missing_column', candidates: ['price'] }]);
    const data = { path, name: 'sales' };
    const describe = async () =>
      JSON.stringify(await agent.use('data_describe', data));
    expect(await describe()).toContain("'price': int64\"");

    const { run } = await agent.use('run_begin', { path, intent: 'look' });
    const replay = await openReplay(page, 1);
    await replay.panel.getByRole('button', { name: /Codex.*look/ }).click();
    await replay.panel
      .getByRole('combobox', { name: /Codex/ })
      .selectOption('all');
    await expect.poll(describe).toContain('mean 3.5');
    const print = "print(sales['city'][0])";
    const ran = await agent.use('scratch_run', { run, code: print });
    expect(ran).toEqual({
      status: 'ok',
      outputs: [{ kind: 'stream', characters: 7 }]
    });
    expect(await describe()).not.toContain('canary');
    await expect(replay.panel).toContainText(print);

    const split = { run, cell, base: digest('x = 1\ny = 2'), lines: [2] };
    await agent.use('cell_split', { ...split, intent: 'one for each' });
    expect(await sourcesOf(page)).toEqual([DATA, 'x = 1', 'y = 2']);
    await agent.use('run_end', { run });
    await replay.panel.getByRole('button', { name: 'Undo run…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Undo', exact: true }).click();
    await expect.poll(() => sourcesOf(page)).toEqual([DATA, 'x = 1\ny = 2']);
  });
});
