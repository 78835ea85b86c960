/**
 * A suggestion's problems are shown before it is accepted, and one click corrects a name.
 */
import { CellUnderTest, ReplayUnderTest } from '../fixtures/cells';
import { expect, test } from '../fixtures/lab';
import { code } from '../fixtures/scripted';

const LOAD =
  'import pandas as pd\n销售 = pd.DataFrame({"价格": [1.5, 2.5], "城市": ["a", "b"]})';
const PROBLEMS = 'Problems in this suggestion';

test('a wrong column is underlined; one click corrects it (P41)', async ({
  page,
  lab,
  openNotebook
}) => {
  await openNotebook([LOAD, '']);
  await new CellUnderTest(page, 0).run();
  const cell = new CellUnderTest(page, 1);
  await lab.model!.script(code('销售["价钱格"].mean()\nprnt(销售)'));
  await cell.ask('平均价格');
  // They are obvious, so they are corrected before the suggestion is offered (P49).
  await expect(cell.row).toContainText(
    'Corrected automatically: 价钱格 → 价格, prnt → print.'
  );
  await cell.button('Restore the original suggestion').click();
  const problems = cell.row.getByRole('region', { name: PROBLEMS });
  await expect(problems.getByRole('listitem')).toHaveText([
    /Line 1: there is no column “价钱格”/,
    /Line 2: “prnt” isn’t defined/
  ]);
  const underlined = cell.root.locator('.jp-AIServer-Diff-problem');
  await expect(underlined).toHaveCount(2);

  await cell.button('价格').click();
  await expect(cell.input).toBeFocused();
  await expect(problems.getByRole('listitem')).toHaveText([/“prnt”/]);
  await cell.button('print').click();
  await expect(problems).toHaveCount(0);
  await expect(underlined).toHaveCount(0);
  expect((await lab.model!.requests()).length).toBe(1);

  await cell.accept();
  expect(await cell.source()).toBe('销售["价格"].mean()\nprint(销售)');
  await cell.run();
  await expect(cell.output.first()).toBeVisible();
});

test('a repair is asked for with the problems; a package is installed by choice', async ({
  page,
  lab,
  openNotebook
}) => {
  await openNotebook([LOAD, '']);
  await new CellUnderTest(page, 0).run();
  const cell = new CellUnderTest(page, 1);
  await lab.model!.script(
    code('import ultralytics\nimport invented_module\n销售.cty'),
    code('销售["城市"]')
  );
  await cell.ask('城市');
  const problems = cell.row.getByRole('region', { name: PROBLEMS });
  await expect(problems).toContainText('“invented_module” isn’t installed');
  // No package is offered for a module that a model may have invented.
  const install = cell.button(/^%pip install/);
  await expect(install).toHaveText(['%pip install ultralytics']);
  await install.click();
  await expect(cell.proposal).toContainText('%pip install ultralytics');
  await expect(problems).not.toContainText('“ultralytics”');
  await cell.button('Ask for a repair').click();
  await expect(problems).toHaveCount(0);
  // Both answers can be accepted, and they are one request (P49).
  await expect(cell.row.getByRole('tab')).toHaveCount(2);
  await expect(cell.row).toContainText('Request 1');
  await cell.accept();
  expect(await cell.source()).toBe('销售["城市"]');
  const { body } = (await lab.model!.requests())[1];
  expect(JSON.stringify(body.messages.at(-1))).toContain('cty');
  await cell.focus();
  const replay = new ReplayUnderTest(page);
  await replay.open();
  await expect(replay.slider).toHaveAttribute('aria-valuemax', '1');
});

test('the replay shows and restores a suggestion as the row corrected it (P49)', async ({
  page,
  lab,
  openNotebook
}) => {
  const file = await openNotebook([LOAD, '']);
  await new CellUnderTest(page, 0).run();
  const cell = new CellUnderTest(page, 1);
  const replay = new ReplayUnderTest(page);
  await cell.focus();
  await replay.open();
  await lab.model!.script(code('销售["价钱格"].mean()'));
  await cell.ask('平均价格');
  await expect(cell.row).toContainText('Corrected automatically');
  await expect(replay.code).toHaveText('销售["价格"].mean()');
  await replay.button('Restore this version').click();
  await expect(cell.row).toHaveCount(0);
  expect(await cell.source()).toBe('销售["价格"].mean()');
  await cell.run();
  // The request is one step, with the correction and the run.
  await expect(replay.panel).toContainText(
    'Edited by AI Server: 价钱格 → 价格'
  );
  await expect(replay.slider).toHaveAttribute('aria-valuemax', '1');
  const [session] = await lab.sessions(await lab.notebookId(file));
  expect(session.events?.[0]).toMatchObject({
    type: 'accept',
    data: { corrections: ['价钱格 → 价格'] }
  });
});

test.describe('Accept and run (P13, P42)', () => {
  test(
    'code that fails is fixed only on request, and runs when it was seen (P49)',
    { tag: '@core' },
    async ({ page, lab, openNotebook }) => {
      const file = await openNotebook([LOAD, '']);
      await new CellUnderTest(page, 0).run();
      const cell = new CellUnderTest(page, 1);
      await lab.model!.script(code('1 / 0'), code('1 / 2'));
      await cell.ask('一半');
      await cell.button('Accept and run').click();
      await expect(cell.row).toContainText('The accepted code failed.');
      expect(await cell.source()).toBe('1 / 0');
      expect((await lab.model!.requests()).length).toBe(1);

      await cell.button('Fix it').click();
      await expect(cell.proposal).toContainText('1 / 2');
      expect(await cell.source()).toBe('1 / 0');
      await expect(cell.button('Accept and run')).toBeEnabled();
      await cell.input.press('Alt+Enter');
      await expect(cell.output).toHaveText('0.5');
      const { body } = (await lab.model!.requests())[1];
      expect(JSON.stringify(body.messages.at(-1))).toContain(
        'ZeroDivisionError'
      );
      const notebookId = await lab.notebookId(file);
      await expect
        .poll(async () => {
          const [session] = await lab.sessions(notebookId);
          return (session.events ?? [])
            .filter(({ type }: any) => type === 'accept' || type === 'run')
            .map(({ type, data }: any) => data?.status ?? type);
        })
        .toEqual(['accept', 'error', 'accept', 'ok']);
    }
  );

  test.describe('with an interrupt', () => {
    // Galata's mock of kernels can't read the empty response to an interrupt.
    test.use({ kernels: null });

    test('Esc stops the cell at once', async ({ page, lab, openNotebook }) => {
      await openNotebook(['']);
      const cell = new CellUnderTest(page, 0);
      await lab.model!.script(
        code("import time\nprint('等')\nwhile True: time.sleep(0.1)")
      );
      await cell.ask('等待');
      await cell.button('Accept and run').click();
      await expect(cell.row).toContainText('Running…');
      await expect(cell.output).toContainText('等');
      await cell.input.press('Escape');
      await expect(cell.row).toContainText(
        'The accepted code stays in the cell.'
      );
      await expect(cell.output.last()).toContainText('KeyboardInterrupt');
      expect((await lab.model!.requests()).length).toBe(1);
    });
  });
});
