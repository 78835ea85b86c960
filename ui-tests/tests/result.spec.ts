/**
 * A cell's result is handed to the model by an explicit act, and the numbers of the answer are
 * compared with it.
 */
import { CellUnderTest } from '../fixtures/cells';
import { expect, test } from '../fixtures/lab';

test('a result is explained on request, and wrong numbers are marked (P15)', async ({
  page,
  lab,
  openNotebook
}) => {
  await openNotebook(['print("mean", 85.0254 / 2, "canary-" "output")']);
  const cell = new CellUnderTest(page, 0);
  await cell.run();
  await cell.output.click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Explain This Cell’s Result' }).click();
  await expect(cell.input).toHaveValue('/explain @output ');
  await expect(cell.input).toBeFocused();

  // Only the person's choice sends it to a remote model.
  await lab.model!.script({ text: 'It is 7.' }, { text: 'The mean is **42.51**, not 44.' });
  await cell.input.press('Enter');
  await expect(cell.row).toContainText('It is 7.');
  const sent = async (index: number) =>
    JSON.stringify((await lab.model!.requests())[index].body.messages);
  expect(await sent(0)).not.toContain('mean 42.5127');
  await expect(cell.row.locator('mark')).toHaveCount(0);

  await cell.input.fill('/explain @output again');
  await cell.row.getByRole('checkbox', { name: 'send its output' }).check();
  await cell.input.press('Enter');
  await expect(cell.row.locator('mark')).toHaveText('44');
  await expect(cell.row).toContainText('The marked numbers aren’t in the output');
  expect(await sent(1)).toContain('mean 42.5127 canary-output');
});
