/**
 * Each kind of request, chosen in the list of slash words by keyboard and by mouse. What the model
 * gets for each is compared with tests/prompts/snapshots by the server's own tests.
 */
import { CellUnderTest } from '../fixtures/cells';
import { expect, test } from '../fixtures/lab';
import { code } from '../fixtures/scripted';

/** The modes in the order of the list, each with the beginning of its instruction. */
const MODES = [
  ['fix', 'Fix the mistake'],
  ['explain', 'Explain in words'],
  ['visualise', 'Draw a plot'],
  ['refactor', 'Make the cell’s code clearer'],
  ['document', 'Add docstrings'],
  ['test', 'Keep the cell’s code, and add tests'],
  ['convert', 'Rewrite the cell’s code'],
  ['optimise', 'Make the cell’s code faster'],
  ['create', 'Write new code'],
  ['edit', 'Change the cell’s code']
];

for (const way of ['keyboard', 'mouse']) {
  test(`every kind of request, by ${way}`, async ({
    page,
    lab,
    openNotebook
  }) => {
    const file = await openNotebook(['n = len(rows)']);
    const cell = new CellUnderTest(page, 0);
    const options = page
      .getByRole('listbox', { name: 'Suggestions for the request' })
      .getByRole('option');
    await cell.open();
    for (const [index, [mode, instruction]] of MODES.entries()) {
      const isInWords = mode === 'explain';
      await lab.model!.script(
        isInWords ? { text: 'It counts.' } : code(`n = ${index}`)
      );
      if (way === 'keyboard') {
        await page.keyboard.type(`/${mode}`);
        await page.keyboard.press('Enter'); // Chooses the word,
        await page.keyboard.press('Enter'); // and sends the request.
      } else {
        await cell.input.fill('/');
        await options.filter({ hasText: `/${mode}` }).click();
        await cell.button(/^Ask$/).click();
      }
      if (isInWords) {
        await expect(cell.row).toContainText('It counts.', { timeout: 45_000 });
      } else {
        await expect(cell.button(/^Accept$/)).toBeEnabled({ timeout: 45_000 });
      }
      const { body } = (await lab.model!.requests())[index];
      const sent = String(body.messages.at(-1)!.content).replace("'", '’');
      expect(sent).toContain(instruction);
      // Esc rejects the suggestion, or closes the words; the row is opened again for the next one.
      await page.keyboard.press('Escape');
      await expect(cell.button(/^Accept$/)).toHaveCount(0);
      expect(await cell.source()).toBe('n = len(rows)');
      await cell.open();
      await cell.input.fill('');
      await expect(cell.input).toBeFocused();
    }
    const [session] = await lab.sessions(await lab.notebookId(file));
    expect(session.interactions.map(({ mode }: any) => mode)).toEqual(
      MODES.map(([mode]) => mode)
    );
  });
}

test('in an empty cell, three kinds of request are about the cell above', async ({
  page,
  lab,
  openNotebook
}) => {
  await openNotebook(['n = len(rows)', '']);
  const cell = new CellUnderTest(page, 1);
  const options = page
    .getByRole('listbox', { name: 'Suggestions for the request' })
    .getByRole('option');
  await lab.model!.script(code('assert n == 3'));
  await cell.open();
  await cell.input.fill('/');
  await expect(options).toHaveText([
    /^\/explain.*cell above/,
    /^\/visualise/,
    /^\/test.*cell above/,
    /^\/convert.*cell above/,
    /^\/remember/
  ]);
  await options.filter({ hasText: '/test' }).click();
  await cell.button(/^Ask$/).click();
  await expect(cell.button(/^Accept$/)).toBeEnabled({ timeout: 45_000 });
  const [{ body }] = await lab.model!.requests();
  const sent = String(body.messages.at(-1)!.content);
  expect(sent).toContain('n = len(rows)');
  expect(sent).toContain('Write tests for the code of the cell above');
  await cell.button(/^Accept$/).click();
  await expect.poll(() => cell.source()).toBe('assert n == 3');
});
