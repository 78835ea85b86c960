/**
 * What a long history costs the notebook (P37).
 */
import { CellUnderTest } from '../fixtures/cells';
import { expect, test } from '../fixtures/plain';
import { code } from '../fixtures/scripted';

test('the notebook’s file does not grow with its history', async ({
  page,
  lab,
  open
}) => {
  const file = await open(['x = 1']);
  const cell = new CellUnderTest(page, 0);
  const save = async () => {
    await page.evaluate(() =>
      (window as any).jupyterapp.shell.currentWidget.context.save()
    );
    return lab.read(file);
  };
  await lab.model!.script(code('x = 2'));
  await cell.ask('two');
  await cell.accept();
  const once = await save();
  const id = await lab.notebookId(file);
  for (let i = 0; i < 9; i++) {
    const answer = await page.request.post(`${lab.url}/aiserver/generate`, {
      data: { notebookId: id, cellId: 'cell-1', intent: `again ${i}` },
      headers: { Accept: 'application/json' }
    });
    expect(answer.ok()).toBe(true);
  }
  await lab.model!.script(code('x = 2  # eleven'));
  await cell.ask('once more');
  await cell.accept();
  const often = await save();
  expect((await lab.sessions(id))[0].interactions).toHaveLength(11);
  // They differ by the cell's own text alone.
  expect(often.replace('x = 2  # eleven', 'x = 2')).toBe(once);
});
