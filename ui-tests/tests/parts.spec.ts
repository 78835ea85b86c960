/**
 * Parts of an answer: single changes are accepted, rejected or edited, by mouse and by keyboard.
 */
import { CellUnderTest, ReplayUnderTest } from '../fixtures/cells';
import { expect, reload, test } from '../fixtures/lab';
import { code } from '../fixtures/scripted';
import { execute } from '../fixtures/shell';

const SOURCE = 'a = 1\nsame1 = 0\nb = 2\nsame2 = 0\nc = 3\nsame3 = 0\nd = 4';
const ANSWER =
  'a = 10\nsame1 = 0\nb = 20\nsame2 = 0\nc = 30\nsame3 = 0\nd = 40';

test(
  'changes are accepted and rejected one by one, one undo step each (P11, P40)',
  { tag: '@core' },
  async ({ page, lab, openNotebook }) => {
    await openNotebook([SOURCE]);
    const cell = new CellUnderTest(page, 0);
    await lab.model!.script(code(ANSWER), code(ANSWER));
    await cell.ask('times ten');
    const accept = cell.proposal.getByRole('button', {
      name: 'Accept this change'
    });
    await expect(accept).toHaveCount(4);

    // Mouse: accept the second change, reject the third.
    await accept.nth(1).click();
    await expect(accept).toHaveCount(3);
    await cell.proposal
      .getByRole('button', { name: 'Reject this change' })
      .nth(1)
      .click();
    await expect(accept).toHaveCount(2);
    expect(await cell.source()).toBe(SOURCE.replace('b = 2', 'b = 20'));

    // Keyboard: select and accept the first change; then the last is selected, and is accepted, too.
    await expect(cell.input).toBeFocused();
    await page.keyboard.press('Alt+ArrowDown');
    await expect(
      cell.proposal.locator('.jp-AIServer-Diff-selected')
    ).toHaveText('a = 10');
    await page.keyboard.press('Alt+y');
    await expect(accept).toHaveCount(1);
    await expect(
      cell.proposal.locator('.jp-AIServer-Diff-selected')
    ).toHaveText('d = 40');
    await page.keyboard.press('Alt+y');
    await expect(cell.row).toHaveCount(0);
    const accepted = ANSWER.replace('c = 30', 'c = 3');
    expect(await cell.source()).toBe(accepted);

    const replay = new ReplayUnderTest(page);
    await replay.open();
    await expect(replay.panel).toContainText('Accepted 3 of 4 changes');
    const authors = cell.authors;
    await execute(page, 'aiserver:toggle-blame');
    await expect(authors.first()).toBeVisible();

    // Each accepted change is one undo step.
    await cell.focus();
    for (const undone of [
      accepted.replace('d = 40', 'd = 4'),
      accepted.replace('d = 40', 'd = 4').replace('a = 10', 'a = 1'),
      SOURCE
    ]) {
      await page.keyboard.press('ControlOrMeta+z');
      expect(await cell.source()).toBe(undone);
    }
  }
);

test('a suggestion survives a reload, is edited, regenerated in part, and follows the cell', async ({
  page,
  lab,
  openNotebook
}) => {
  await openNotebook([SOURCE]);
  const cell = new CellUnderTest(page, 0);
  await lab.model!.script(code(ANSWER), code('b = 2 * 10'));
  await cell.ask('times ten');
  await expect(cell.button(/^Accept$/)).toBeEnabled();
  // After a reload, the suggestion is there again.
  await page.notebook.save();
  await reload(page);
  await cell.open();
  await expect(cell.proposal).toContainText('d = 40');
  await expect(cell.row).toContainText('times ten');
  // Only the second change is regenerated.
  await cell.proposal
    .getByRole('button', { name: 'Regenerate this change' })
    .nth(1)
    .click();
  await expect(cell.proposal).toContainText('b = 2 * 10');
  await expect(cell.proposal).toContainText('c = 30');
  await expect(cell.button(/^Accept$/)).toBeEnabled(); // the answer has ended
  await cell.proposal.getByText('d = 40').click();
  await page.keyboard.press('End');
  // Undo works in the suggestion, and doesn't reach the cell.
  await page.keyboard.type('x');
  await expect(cell.proposal).toContainText('d = 40x');
  await page.keyboard.press('ControlOrMeta+z');
  await expect(cell.proposal).not.toContainText('d = 40x');
  await page.keyboard.press('End');
  await page.keyboard.type('0  # d');
  // Another window changes another line of the cell.
  await page.evaluate(() => {
    const { content } = (window as any).jupyterapp.shell.currentWidget;
    const { sharedModel } = content.widgets[0].model;
    sharedModel.setSource(
      sharedModel.getSource().replace('same2 = 0', 'same2 = 1')
    );
  });
  await expect(cell.proposal).toContainText('same2 = 1');
  await page.keyboard.press('Escape');
  await expect(cell.input).toBeFocused();
  await cell.accept();
  expect(await cell.source()).toBe(
    ANSWER.replace('same2 = 0', 'same2 = 1')
      .replace('b = 20', 'b = 2 * 10')
      .replace('d = 40', 'd = 400  # d')
  );
});
