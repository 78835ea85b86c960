/**
 * Asking where it is obvious what is wanted: about selected lines, at an error, in an empty cell.
 */
import { CellUnderTest, ReplayUnderTest } from '../fixtures/cells';
import { expect, test } from '../fixtures/lab';
import { code } from '../fixtures/scripted';

const SOURCE =
  'def total(items):\n    x = 0\n    for item in items:\n        x += item\n    return x';

test('only the selected lines change (P11)', async ({
  page,
  lab,
  openNotebook
}) => {
  await openNotebook([SOURCE, '']);
  const cell = new CellUnderTest(page, 0);
  await cell.focus();
  await page.keyboard.press('ControlOrMeta+Home');
  await page.keyboard.press('ArrowDown');
  for (let line = 0; line < 3; line++) {
    await page.keyboard.press('Shift+ArrowDown');
  }
  await page.keyboard.press('ControlOrMeta+k');
  await expect(cell.row).toContainText('Only lines 2–4');
  await expect(cell.input).toHaveAttribute('placeholder', /selected lines/);
  await lab.model!.script(
    code('x = sum(items)'),
    code('x = sum(items)\nx = int(x)')
  );
  await cell.ask('shorter');
  await expect(cell.proposal).toContainText('sum(items)');
  await expect(cell.proposal).toContainText('return x');
  // A further request is about the same lines.
  await cell.ask('as a whole number');
  await expect(cell.proposal).toContainText('int(x)');
  await expect(cell.row).toContainText('Only lines 2–4');
  await cell.accept();
  expect(await cell.source()).toBe(
    'def total(items):\n    x = sum(items)\n    x = int(x)\n    return x'
  );
  // Nothing is selected any more: the next key replaces none of the accepted lines (P48).
  await page.keyboard.type('#');
  expect(await cell.source()).toContain('    x = int(x)\n');
  await page.keyboard.press('Backspace');
  const [first, second] = await lab.model!.requests();
  expect(first.body.messages.at(-1)!.content).toContain(
    '\nx = 0\nfor item in items:'
  );
  expect(second.body.messages.at(-1)!.content).toContain(
    '\nx = sum(items)\n</cell'
  );
  const replay = new ReplayUnderTest(page);
  await replay.open();
  await expect(replay.panel.getByText('Only lines 2–2')).toHaveCount(0);
  await expect(
    replay.panel.getByText('Only line 2', { exact: true })
  ).toBeVisible();

  // The button in the toolbar uses the selection, too, and the whole cell can be chosen instead.
  await cell.focus();
  await page.keyboard.press('ControlOrMeta+Home');
  await page.keyboard.press('Shift+End');
  await cell.root.getByRole('button', { name: 'Ask for Code' }).click();
  await expect(cell.row).toContainText('Only line 1');
  await cell.button('Let the whole cell change').click();
  await expect(cell.input).toBeFocused();
  await expect(cell.row).not.toContainText('Only line');
  await cell.input.press('Escape');
  // Without a selection, the request is about the whole cell.
  await cell.open();
  await expect(cell.row).not.toContainText('Only line');
});

test('an error has buttons that ask for a fix and an explanation', async ({
  page,
  lab,
  openNotebook
}) => {
  await openNotebook(['pries = 1', 'print(price)']);
  const cell = new CellUnderTest(page, 1);
  await cell.run();
  const help = cell.root.getByRole('group', { name: 'Help with this error' });
  await lab.model!.script(
    { text: 'No variable has **this name**.' },
    code('print(pries)')
  );
  await help.getByRole('button', { name: 'Explain the error' }).click();
  await expect(cell.row.locator('strong')).toHaveText('this name');
  await cell.button(/^Close/).click();
  await help.getByRole('button', { name: 'Fix it' }).click();
  await cell.accept();
  expect(await cell.source()).toBe('print(pries)');
  const [explained, fixed] = await lab.model!.requests();
  expect(explained.body.messages.at(-1)!.content).toContain('NameError');
  expect(fixed.body.messages.at(-1)!.content).toContain('Fix this error:');
  // The error isn't one of the new code.
  await expect(help).toHaveCount(0);
});

test('an empty cell has a link that asks for code', async ({
  page,
  openNotebook
}) => {
  await openNotebook(['x = 1', '']);
  const cell = new CellUnderTest(page, 1);
  await cell.root.getByText(/^ask for it/).click();
  await expect(cell.input).toBeFocused();
});
