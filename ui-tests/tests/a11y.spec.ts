/**
 * Accessibility: keyboard, screen reader, colours and motion (P38).
 */
import { seriousIn } from '../fixtures/axe';
import { CellUnderTest, ReplayUnderTest } from '../fixtures/cells';
import { wear } from '../fixtures/dress';
import { expectStill } from '../fixtures/motion';
import { expect, test } from '../fixtures/plain';
import { code } from '../fixtures/scripted';

const ROW = '.jp-AIServer-Ask';
const DIFF = '.jp-AIServer-Diff';
const REPLAY = '.jp-AIServer-Replay';

test('the whole flow by keyboard only', async ({ page, lab, open }) => {
  await open(['x = 1', '']);
  const cell = new CellUnderTest(page, 0);
  const keys = page.keyboard;
  await lab.model!.script(
    { ...code('x = 2'), hold_after: 1 },
    code('x = 3', 'It is three.'),
    code('x = 33'),
    code('x = 4')
  );
  // The notebook gets the focus when it is opened.
  const focused = page.locator('.jp-Notebook:focus, .jp-Notebook :focus');
  await expect(focused).toHaveCount(1);
  await keys.press('Enter');
  await keys.press('ControlOrMeta+k');
  await expect(cell.input).toBeFocused();
  // Ask, stop: the wish is there again and the focus has not moved.
  await keys.type('make it two');
  await keys.press('Enter');
  await lab.model!.sent(1);
  await keys.press('Escape');
  await expect(cell.row).toContainText('Stopped');
  await expect(cell.input).toBeFocused();
  await expect(cell.input).toHaveValue('make it two');
  // Ask again, refine, accept: back in the code.
  await keys.press('Enter');
  await expect(cell.button(/^Accept$/)).toBeEnabled();
  await expect(cell.input).toBeFocused();
  await keys.type('larger');
  await keys.press('Enter');
  await expect(cell.row).toContainText('larger');
  await expect(cell.button(/^Accept$/)).toBeEnabled();
  await keys.press('Shift+Enter');
  await expect(cell.proposal).toHaveCount(0);
  expect(await cell.source()).toBe('x = 33');
  await expect(cell.editor).toBeFocused();
  // Reject: back in the code as well.
  await keys.press('ControlOrMeta+k');
  await keys.type('four');
  await keys.press('Enter');
  await expect(cell.button(/^Accept$/)).toBeEnabled();
  // Each button can be reached, and shows that it is.
  await keys.press('Tab');
  await expect(cell.button(/^Accept$/)).toBeFocused();
  await keys.press('Tab');
  await expect(cell.button(/^Reject/)).toBeFocused();
  expect(
    await page.evaluate(
      () => getComputedStyle(document.activeElement!).outlineStyle
    )
  ).not.toBe('none');
  await keys.press('Enter');
  await expect(cell.proposal).toHaveCount(0);
  await expect(cell.editor).toBeFocused();
  expect(await cell.source()).toBe('x = 33');
  // The replay, by the palette.
  await keys.press('Escape');
  await keys.press('ControlOrMeta+Shift+c');
  await keys.type('Show Replay');
  await keys.press('Enter');
  await expect(new ReplayUnderTest(page).slider).toBeVisible();
});

test('a screen reader announces the start and the end, not each word', async ({
  page,
  lab,
  open
}) => {
  await open(['x = 1']);
  const cell = new CellUnderTest(page, 0);
  const source = Array.from({ length: 60 }, (_, i) => `x = ${i}`).join('\n');
  await lab.model!.script({ ...code(source, 'why'), hold_after: 20 });
  await cell.open();
  await page.evaluate(() => {
    const announced: string[] = ((window as any).announced = []);
    const row = document.querySelector('.jp-AIServer-Ask')!;
    const note = () => {
      for (const node of row.querySelectorAll('[role=status], [role=alert]')) {
        const text = node.textContent ?? '';
        if (text && text !== announced[announced.length - 1]) {
          announced.push(text);
        }
      }
    };
    new MutationObserver(note).observe(row, {
      subtree: true,
      childList: true,
      characterData: true
    });
  });
  await cell.ask('count');
  await lab.model!.sent(20);
  await expect(cell.proposal).toBeVisible();
  await lab.model!.release();
  await expect(cell.button(/^Accept$/)).toBeEnabled();
  const announced: string[] = await page.evaluate(
    () => (window as any).announced
  );
  expect(announced).toHaveLength(2);
  expect(announced[0]).toContain('Generating');
  expect(announced[1]).toContain('ready');
  // Nothing else of what changes is announced.
  await expect(
    cell.proposal.locator('[aria-live]:not(:empty), [role=log]')
  ).toHaveCount(0);
});

for (const theme of ['Light', 'Dark'] as const) {
  test(
    `axe finds nothing serious in any state, in the theme ${theme}`,
    { tag: theme === 'Light' ? ['@core'] : [] },
    async ({ page, lab, open }) => {
      test.setTimeout(180_000);
      await open(['import pandas as pd\nx = 1', 'md:# Title', '']);
      const cell = new CellUnderTest(page, 0);
      const replay = new ReplayUnderTest(page);
      const violations: string[] = [];
      const look = async (state: string, ...parts: string[]) => {
        await page.screenshot({
          path: test.info().outputPath(`${state}-${theme.toLowerCase()}.png`),
          caret: 'hide'
        });
        const wrong = await seriousIn(page, ...parts);
        violations.push(...wrong.map(text => `${state}: ${text}`));
      };
      await wear(page, `JupyterLab ${theme}`);
      await lab.model!.script(
        { ...code('import pandas as pd\nx = 2\ny = 3'), hold_after: 3 },
        { status: 401 },
        code('import pandas as pd\nx = 2\ny = 3', 'It adds y.'),
        code('import pandas as pd\nx = 5', 'It takes y away.')
      );
      await replay.open();
      await cell.open();
      await look('asking', ROW, REPLAY);
      await cell.input.fill('/');
      await look('completing', ROW, '.jp-AIServer-Ask-completions');
      await cell.input.fill('add y\nand more');
      await cell.input.press('Enter');
      await lab.model!.sent(3);
      await expect(cell.proposal).toBeVisible();
      await look('streaming', ROW, DIFF, REPLAY);
      await cell.button('Stop').click();
      await expect(cell.row).toContainText('Stopped');
      await look('stopped', ROW, REPLAY);
      await cell.input.press('Enter');
      await expect(cell.row.getByRole('alert')).toBeVisible();
      await look('failed', ROW, REPLAY);
      await cell.button('Try again').click();
      await expect(cell.button(/^Accept$/)).toBeEnabled();
      await look('suggested', ROW, DIFF, REPLAY);
      await cell.accept();
      await cell.ask('take it away');
      await cell.button(/^Reject/).click();
      await expect(replay.steps.first()).toBeVisible();
      await replay.slider.press('Home');
      await replay.slider.press('ArrowRight');
      await look('replay', REPLAY);
      await replay.button('Compare with another step').click();
      await look('compare', REPLAY);
      await replay.button('Close comparison').click();
      await cell.focus();
      await page.keyboard.press('ControlOrMeta+Alt+b');
      await expect(cell.authors).not.toHaveCount(0);
      await page.keyboard.press('ControlOrMeta+Home');
      await look('blame', '.jp-AIServer-Blame', '.jp-AIServer-Blame-status');
      await page.keyboard.press('ControlOrMeta+Alt+b');
      await replay.tab('Notebook').click();
      await replay.button(/^\d+ lines?$/).click();
      await look('overview', REPLAY);
      await replay.slider.press('ArrowLeft');
      const then = { name: 'Notebook at this point' };
      await expect(replay.panel.getByRole('list', then)).toBeVisible();
      await look('moment', REPLAY);
      await replay.tab('Search').click();
      await look('search', REPLAY);
      await replay.panel.getByRole('searchbox').fill('take');
      await expect(replay.panel.locator('mark').first()).toBeVisible();
      await look('found', REPLAY);

      const run = (id: string, args = {}) =>
        page.evaluate(
          ([id, args]) =>
            void (window as any).jupyterapp.commands.execute(id, args),
          [id, args] as const
        );
      const dialog = page.getByRole('dialog');
      await page.removeLocatorHandler(page.locator('.jp-Dialog')); // These are ours.
      const close = async () => {
        await dialog
          .getByRole('button', { name: /^Close/ })
          .last()
          .click();
        await expect(dialog).toHaveCount(0);
      };
      await run('aiserver:connect-provider', { provider: 'openai_compatible' });
      await expect(dialog.getByLabel('Base URL')).toBeVisible();
      await dialog.getByRole('textbox', { name: 'Model' }).press('ArrowDown');
      await look('models dialog', '.jp-AIServer-Models-dialog');
      await close();
      await cell.open();
      await run('aiserver:preview-request');
      await expect(dialog).toContainText('scripted');
      await look('preview', '.jp-AIServer-Preview');
      await close();
      // A machine on which nothing can answer yet, played: this one has a model.
      await page.route(/aiserver\/models(\?|$)/, async route => {
        const answer = await route.fetch();
        const { local, localModels, ...list } = await answer.json();
        const json = {
          ...list,
          default: null,
          models: [],
          local: { ...local, installed: false, package: true },
          localModels: localModels.map((entry: object) => ({
            ...entry,
            installed: false
          }))
        };
        await route.fulfill({ response: answer, json });
      });
      const empty = new CellUnderTest(page, 2);
      await empty.open();
      await expect(empty.button(/^Install Qwen/)).toBeVisible();
      await look('offer', '.jp-AIServer-Models-offer');
      await run('aiserver:open-local-models');
      await expect(dialog.getByRole('listitem').first()).toBeVisible();
      await look('local models', '.jp-AIServer-LocalModels');
      await close();
      await page.unroute(/aiserver\/models(\?|$)/);
      await run('aiserver:open-model-settings');
      await expect(
        page.getByRole('heading', { name: 'Active model' })
      ).toBeVisible();
      await look('settings', '.jp-AIServer-Models');
      expect(violations).toEqual([]);
    }
  );
}

test('the row in the system’s own colours, and without motion', async ({
  page,
  lab,
  open
}) => {
  await page.emulateMedia({ forcedColors: 'active', reducedMotion: 'reduce' });
  await open(['x = 1']);
  const cell = new CellUnderTest(page, 0);
  await lab.model!.script({ ...code('x = 3'), hold_after: 1 });
  const colour = (selector: string) =>
    page
      .locator(selector)
      .first()
      .evaluate(node => getComputedStyle(node).backgroundColor);
  await cell.ask('three');
  await lab.model!.sent(1);
  await expect(cell.button('Stop')).toBeVisible();
  expect(await colour('.jp-AIServer-Ask-dots')).not.toBe(
    await colour('.jp-AIServer-Ask')
  );
  await expectStill(page);
  await page.screenshot({ path: test.info().outputPath('forced.png') });
});
