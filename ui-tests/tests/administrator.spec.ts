/**
 * Features that the administrator forbids: they aren't offered, and the page says why. The server's
 * own tests are in tests/handlers/test_features.py.
 */

import { expectNothingSerious } from '../fixtures/axe';
import { CellUnderTest } from '../fixtures/cells';
import { expect, test } from '../fixtures/plain';
import { begin } from '../fixtures/shell';

const FEATURES = [
  'remote_models',
  'running',
  'completion',
  'receipts',
  'files',
  'outputs'
];

test.use({
  modelKind: 'embedded',
  features: Object.fromEntries(FEATURES.map(name => [name, 'forbidden']))
});

test('the prompt row and the menus explain what is forbidden (P38)', async ({
  page,
  lab,
  open
}) => {
  await lab.write('AGENTS.md', 'canary-rules');
  await lab.write('notes.md', 'canary-text');
  await open(['print("canary-" + "output")', '']);
  await page.removeLocatorHandler(page.locator('.jp-Dialog')); // These are ours.
  await new CellUnderTest(page, 0).run();
  const cell = new CellUnderTest(page, 1);
  await cell.open();

  // The list of mentions.
  await cell.input.pressSequentially('like @');
  const options = page.getByRole('listbox').getByRole('option');
  const files = options.filter({ hasText: 'doesn’t allow files' });
  await expect(files).toHaveAttribute('aria-disabled', 'true');
  await expect(
    options.filter({ hasText: 'doesn’t allow outputs' })
  ).toBeVisible();
  await expect(options.filter({ hasText: '@cell1' })).toBeVisible();
  await expect(options.filter({ hasText: '@notes.md' })).toHaveCount(0);
  await expectNothingSerious(page, '.jp-AIServer-Ask');

  // The chips, and the receipt.
  await cell.input.fill('like @cell1 and @notes.md');
  await expect(cell.row).toContainText('@notes.mdnot sent');
  await expect(cell.row).toContainText(
    'doesn’t allow outputs and values in requests'
  );
  await expect(cell.row.getByRole('checkbox')).toHaveCount(0);
  await expect(cell.row).not.toContainText('has rules for models');
  await cell.button('More').click();
  await expect(
    page.getByRole('menuitem', { name: /^Rules Files \(Turned Off/ })
  ).toBeVisible();
  await page.getByRole('menuitem', { name: 'Show What Will Be Sent' }).click();
  const dialog = page.getByRole('dialog');
  const reason = 'left out, set by your administrator';
  for (const name of ['Output of @cell1', 'File notes.md']) {
    await expect(dialog.getByRole('row', { name })).toContainText(reason);
  }
  await expect(dialog).toContainText('like @cell1');
  for (const text of ['canary-output', 'canary-text', 'canary-rules']) {
    await expect(dialog).not.toContainText(text);
  }
  await expectNothingSerious(page, '.jp-AIServer-Preview');
  await dialog.getByRole('button', { name: 'Close' }).last().click();

  // The menu of models.
  await cell.button(/^Model:/).press('Enter');
  const menu = page.getByRole('menu');
  await expect(menu).toContainText('only allows models on this computer');
  await page.keyboard.press('Escape');
  await expect(menu).toHaveCount(0);

  // The answer: nothing that is forbidden is stored, and nothing runs.
  await cell.input.press('Enter');
  await expect(cell.button(/^Accept$/)).toBeEnabled({ timeout: 45_000 });
  await expect(cell.button('Accept and run')).toHaveCount(0);
  await expectNothingSerious(page, '.jp-AIServer-Ask');
  const command = await page.evaluate(() => {
    const { commands } = (window as any).jupyterapp;
    const id = 'aiserver:accept-and-run';
    return [commands.isEnabled(id), commands.caption(id)];
  });
  expect(command).toEqual([
    false,
    'Your administrator has turned off “Accept and run”.'
  ]);
  await cell.input.press('Alt+Enter');
  await cell.accept();
  expect(await cell.source()).not.toBe('');
  await expect(cell.root.locator('.jp-InputPrompt')).toHaveText(/\[ \]/);
  const sessions = await lab.allSessions();
  const turns = sessions.flatMap(({ interactions }) => interactions);
  expect(turns).toHaveLength(1);
  expect(turns[0]).not.toHaveProperty('prompt');
});

test('the settings say what the administrator has set', async ({
  page,
  open
}) => {
  await open(['']);
  const editor = page.locator('.jp-SettingsPanel');
  await begin(page, 'settingeditor:open', { query: 'Store what models get' });
  await expect(editor).toContainText('Set by your administrator.');
  const setting = editor.locator(
    '[id="jp-SettingsEditor-aiserver:ask_storePrompts"]'
  );
  await expect(setting).toBeDisabled();
  await expect(setting).not.toBeChecked();
  await begin(page, 'aiserver:open-model-settings');
  await expect(editor).toContainText('only allows models on this computer');
  await expectNothingSerious(page, '.jp-AIServer-Models');
  await begin(page, 'settingeditor:open', { query: 'Inline Completer' });
  await expect(editor).toContainText(
    'AI Server (turned off by your administrator)'
  );
});
