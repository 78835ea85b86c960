/**
 * The interface in Chinese: whole, and nothing of it in English. (tests/test_translations.py checks
 * that no text of any language is missing.)
 */
import type { Page } from '@playwright/test';

import { CellUnderTest, ReplayUnderTest } from '../fixtures/cells';
import {
  catalog,
  leftInEnglish,
  speak,
  withoutNames
} from '../fixtures/language';
import { expect, test } from '../fixtures/plain';
import { code } from '../fixtures/scripted';
import { begin, execute, setSource } from '../fixtures/shell';

/** A picture that fails is followed by the others all the same. */
const softly = expect.configure({ soft: true, timeout: 3000 });

const WISHES = ['把 x 设为 1', '再加上 y', '改成 2'];
const NEW_ENTRY = '金额的单位是万元';
const LOCALE = 'zh_CN';
const say = catalog(LOCALE);

async function picture(page: Page, name: string): Promise<void> {
  await page.mouse.move(0, 0);
  await page.screenshot({
    path: test.info().outputPath(`${name}.png`),
    caret: 'hide',
    animations: 'disabled'
  });
}

/** Whether a button's words stand in one line, and in it. */
async function broken(page: Page): Promise<string[]> {
  return page
    .locator('[class*="jp-AIServer"] button, button[class*="jp-AIServer"]')
    .filter({ visible: true })
    .evaluateAll(buttons =>
      buttons
        .filter(button => {
          const { fontSize, lineHeight } = getComputedStyle(button);
          const line = parseFloat(lineHeight) || 1.5 * parseFloat(fontSize);
          const range = document.createRange();
          range.selectNodeContents(button);
          const words = range.getBoundingClientRect();
          const box = button.getBoundingClientRect();
          return (
            button.childElementCount === 0 &&
            (words.height > 1.8 * line || words.right > box.right + 1)
          );
        })
        .map(button => button.textContent!)
    );
}

test.beforeEach(({ lab }) => speak(lab, LOCALE));
test.afterEach(({ lab }) => speak(lab, 'default'));

/** All that is on the page now. */
async function check(page: Page, name: string, more: string[] = []) {
  await picture(page, name);
  await softly
    .poll(() => leftInEnglish(page, more), { message: name })
    .toEqual([]);
  softly(await broken(page), name).toEqual([]);
}

test(
  'the cell: ask, wait, accept, fail',
  { tag: '@core' },
  async ({ page, lab, open }) => {
    await open(['', 'x']);
    const cell = new CellUnderTest(page, 0, say);
    const [wish, refined, other] = WISHES;
    await check(page, 'notebook');
    await cell.focus();
    await check(page, 'placeholder', ['.jp-AIServer-Placeholder']);
    await cell.open();
    await check(page, 'row');
    await lab.model!.script(
      { ...code('x = 1', '好了。'), hold_after: 1 },
      code('x = 1\ny = 2', '加上了 y。'),
      { status: 429, retry_after: 40 },
      { status: 401 },
      code('x = 1\ny = 2')
    );
    await cell.ask(wish);
    await lab.model!.sent(1);
    await expect(cell.button(say('Stop'))).toBeVisible();
    await check(page, 'writing');
    await lab.model!.release();
    const accept = cell.button(new RegExp(`^${say('Accept')}$`));
    await expect(accept).toBeVisible();
    await check(page, 'suggested');
    await cell.ask(refined);
    await expect(cell.row).toContainText(refined);
    await expect(accept).toBeVisible();
    await check(page, 'superseded');
    await cell.accept();
    await cell.ask(other);
    await expect(cell.row.getByRole('alert')).toBeVisible();
    await check(page, 'asked-to-wait');
    await cell.button(say('Try again')).click();
    await expect(cell.row.getByRole('alert')).toContainText(
      say('%1 rejected the API key. Check the key, then try again.').slice(3)
    );
    await check(page, 'refused');
    await cell.button(say('Try again')).click();
    await expect(cell.row.getByRole('alert')).toHaveCount(0);
    await check(page, 'no-change');

    // A cell that fails, and what its row offers then.
    const failing = new CellUnderTest(page, 1, say);
    await setSource(page, 1, '1 / 0');
    await failing.run();
    await failing.open();
    await expect(failing.button(say('Fix it'))).toBeVisible();
    await check(page, 'failing');
  }
);

test('menus and dialogs', async ({ page, open }) => {
  await open(['']);
  // Here dialogs are what is looked at.
  await page.removeLocatorHandler(page.locator('.jp-Dialog'));
  const cell = new CellUnderTest(page, 0, say);
  const dialog = page.getByRole('dialog');
  const menus = page.locator('.lm-Menu');
  await cell.open();

  // Every command of ours, wherever JupyterLab shows it.
  const words = await page.evaluate(() => {
    const { commands } = (window as any).jupyterapp;
    return commands
      .listCommands()
      .filter((id: string) => id.startsWith('aiserver:'))
      .flatMap((id: string) =>
        [{}, { inRow: true }, { isLauncher: true }].flatMap(args => [
          commands.label(id, args),
          commands.caption(id, args),
          commands.usage(id, args)
        ])
      )
      .filter(Boolean);
  });
  expect(words.length).toBeGreaterThan(20);
  softly(withoutNames(words)).toEqual([]);

  await cell.button(say('More')).click();
  await expect(menus).toHaveCount(1);
  await check(page, 'more', ['.lm-Menu']);
  await page.keyboard.press('Escape');

  const model = new RegExp(`^${say('Model: %1').replace('%1', '')}`);
  await cell.button(model).press('Enter');
  await expect(menus).toHaveCount(1);
  await check(page, 'models', ['.lm-Menu']);
  await menus.getByText(say('Connect a provider…')).click();
  await expect(dialog).toBeVisible();
  await check(page, 'providers', ['.jp-Dialog']);
  for (const provider of await dialog.getByRole('radio').all()) {
    await provider.check();
    await check(page, `provider-${await provider.inputValue()}`, [
      '.jp-Dialog'
    ]);
  }
  await page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);

  // Its promise would wait for the dialog's end.
  await begin(page, 'aiserver:preview-request');
  await expect(dialog).toBeVisible();
  await check(page, 'preview', ['.jp-Dialog']);
  await page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);

  await execute(page, 'aiserver:ask-dataframe');
  await expect(
    cell.row.getByRole('region', { name: say('DataFrames in the kernel') })
  ).toContainText(
    say(
      'The kernel has no DataFrames yet. Run a cell that creates one, then refresh.'
    ),
    { timeout: 30_000 }
  );
  await check(page, 'dataframes');

  // The first-steps notebook is written in the language of the page.
  await execute(page, 'aiserver:open-first-steps');
  await page.getByRole('heading', { name: 'AI Server 入门' }).waitFor();
  await picture(page, 'first-steps');
  // Opening it changes nothing: there is nothing to save, and no history.
  const state = () =>
    page.evaluate(() => {
      const { model } = (window as any).jupyterapp.shell.currentWidget;
      return {
        hasKernel: !!model.getMetadata('language_info').version,
        isDirty: model.dirty,
        hasHistory: !!model.getMetadata('aiserver')
      };
    });
  await expect
    .poll(state)
    .toEqual({ hasKernel: true, isDirty: false, hasHistory: false });
});

test('the replay', async ({ page, lab, open }) => {
  await open(['', 'y = 1']);
  const cell = new CellUnderTest(page, 0, say);
  const replay = new ReplayUnderTest(page, say);
  const [wish, refined, other] = WISHES;
  await replay.open();
  await cell.focus();
  await check(page, 'replay-empty');
  await lab.model!.script(
    code('x = 1', '好了。'),
    code('x = 1\ny = 2'),
    { status: 401 },
    code('x = 2')
  );
  await cell.ask(wish);
  await cell.accept();
  await cell.run();
  await cell.ask(refined);
  await cell.accept();
  await setSource(page, 0, 'x = 1\ny = 2\nz');
  await cell.run();
  await cell.ask(other);
  await expect(cell.button(say('Try again'))).toBeVisible();
  await cell.button(say('Try again')).click();
  await cell.accept();
  await expect(replay.steps.nth(3)).toBeVisible();
  await replay.slider.focus();
  for (const key of ['Home', 'ArrowRight', 'ArrowRight', 'End']) {
    await page.keyboard.press(key);
    await check(page, `replay-${key}`);
  }
  for (const button of await replay.panel
    .getByRole('button', { name: say('Restore this version') })
    .all()) {
    await page.keyboard.press('Home');
    await button.click();
    await check(page, 'replay-restored');
  }
  for (const tab of await replay.panel.getByRole('tab').all()) {
    await tab.click();
    await check(page, `replay-${await tab.textContent()}`);
  }
});

test('the memory', async ({ page, lab, open }) => {
  // P45
  await lab.write('.aiserver_memory/MEMORY.md', `- ${NEW_ENTRY}\n`);
  await open(['']);
  const cell = new CellUnderTest(page, 0, say);
  const memory = page.getByRole('region', { name: say('Memory') });
  await execute(page, 'aiserver:show-memory');
  await expect(memory).toContainText(NEW_ENTRY);
  await check(page, 'memory-new');
  await memory
    .getByRole('button', { name: say('Use'), exact: true })
    .first()
    .click();
  await cell.ask('记住：图表标题用中文');
  const question = cell.row.getByRole('group', {
    name: say('Remember this?')
  });
  const field = question.getByRole('textbox');
  await expect(field).toHaveValue(/^图表标题/);
  await check(page, 'remember');
  await field.press('Escape');
  await expect(question).toHaveCount(0);
  await check(page, 'memory-waiting');
  await memory
    .getByRole('button', { name: say('Remember for this project') })
    .last()
    .click();
  await expect(memory.getByRole('status')).toContainText(
    say('Remembered for this project.')
  );
  await check(page, 'memory');
});

test('the settings', async ({ page, open }) => {
  await open(['']);
  const query = `AI Server：${say('Replay')}`;
  await execute(page, 'settingeditor:open', { query });
  const editor = page.locator('.jp-SettingsPanel');
  await expect(editor).toContainText(say('Speed'));
  await picture(page, 'settings');
  await execute(page, 'aiserver:open-model-settings');
  await expect(editor).toContainText(say('Active model'));
  await check(page, 'model-settings');
});
