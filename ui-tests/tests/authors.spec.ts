/**
 * P40: who wrote what, in a real page: only what a person types, pastes or has JupyterLab do is by
 * hand. The commands of an agent and a formatter are stand-ins that make the calls of
 * notebook-intelligence and jupyterlab-code-formatter.
 */
import type { Page } from '@playwright/test';

import { CellUnderTest, ReplayUnderTest } from '../fixtures/cells';
import { expect, test } from '../fixtures/plain';
import { code } from '../fixtures/scripted';
import { execute, setSource } from '../fixtures/shell';

/** Have an extension's command set the source of a cell, after a while. */
function command(
  page: Page,
  id: string,
  index: number,
  source: string
): Promise<void> {
  return page.evaluate(
    async ([id, index, source]) => {
      const { commands, shell } = (window as any).jupyterapp;
      const done = commands.addCommand(id, {
        execute: async () => {
          await new Promise(resolve => requestAnimationFrame(resolve));
          shell.currentWidget.content.widgets[index].model.sharedModel.source =
            source;
        }
      });
      await commands.execute(id);
      done.dispose();
    },
    [id, index, source] as const
  );
}

test(
  'only a person’s own input is by hand (P40)',
  { tag: '@core' },
  async ({ page, lab, open }) => {
    const file = await open(['a = 1', 'b = 1\nc = 1']);
    const [first, second] = [0, 1].map(index => new CellUnderTest(page, index));
    const keys = page.keyboard;
    await lab.model!.script(code('a = 2'));
    await first.ask('two');
    await first.accept(60_000);
    const id = await lab.notebookId(file);
    /** Of the second cell: who made each version, with its last line. */
    const versions = async () => {
      const records = await lab.records(id);
      const cell = records.find(({ meta }) => meta.cell_id === 'ce11-0002');
      return (cell?.events ?? []).map(({ source, contributor }) =>
        [contributor?.kind, contributor?.name, source?.split('\n').at(-1)].join(
          '|'
        )
      );
    };
    const wanted = ['unknown||c = 1'];
    const next = async (version: string) => {
      wanted.push(version);
      await execute(page, 'docmanager:save');
      await expect.poll(versions).toEqual(wanted);
    };
    await expect.poll(versions).toEqual(wanted);

    // Keys; a key of the editor that CodeMirror doesn't call input; a pasted text.
    await second.focus();
    await keys.press('ControlOrMeta+End');
    await keys.type('2');
    await next('person||c = 12');
    await keys.press('ControlOrMeta+/');
    await next('person||# c = 12');
    await page.evaluate(() => {
      const data = new DataTransfer();
      data.setData('text/plain', ' pasted');
      const paste = new ClipboardEvent('paste', {
        clipboardData: data,
        bubbles: true
      });
      document.activeElement!.dispatchEvent(paste);
    });
    await next('person||# c = 12 pasted');

    // Programs, between what is typed.
    await keys.type(' and');
    await command(page, 'jupyterlab_code_formatter:format', 1, 'b = 1\nc = 12');
    wanted.push('person||# c = 12 pasted and');
    await next('program|jupyterlab_code_formatter|c = 12');
    await command(page, 'notebook-intelligence:set-cell', 1, 'b = 1\nc = 13');
    await next('agent|notebook-intelligence|c = 13');
    await setSource(page, 1, 'b = 1\nc = 14');
    await next('program||c = 14');

    // Find and replace is what a person does.
    await keys.press('ControlOrMeta+f');
    await page.getByPlaceholder('Find').fill('14');
    await expect(page.getByText('1/1', { exact: true })).toBeVisible();
    await page.getByRole('button', { name: 'Show Replace' }).click();
    await page.getByPlaceholder('Replace').fill('15');
    await page.getByRole('button', { name: 'Replace All' }).click();
    await expect.poll(() => second.source()).toBe('b = 1\nc = 15');
    await keys.press('Escape');
    await next('person||c = 15');

    // Another program changes the file.
    await lab.write(file, (await lab.read(file)).replace('c = 15', 'c = 16'));
    await page.evaluate(() =>
      (window as any).jupyterapp.shell.currentWidget.context.revert()
    );
    await next('program|file on disk|c = 16');

    // It is said so, in the gutter and in the replay.
    await second.focus();
    await keys.press('ControlOrMeta+Alt+b');
    await expect(second.authors).toHaveCount(2);
    await keys.press('ControlOrMeta+Home');
    await expect(second.authorship).toContainText('Existing content');
    await keys.press('ControlOrMeta+End');
    await expect(second.authorship).toContainText('Changed on disk');
    const replay = new ReplayUnderTest(page);
    await replay.open();
    for (const title of [
      'Existing content',
      'Formatted by jupyterlab_code_formatter',
      'Edited by notebook-intelligence',
      'Edited by a program',
      'Changed on disk'
    ]) {
      await expect(replay.steps.filter({ hasText: title })).toHaveCount(1);
    }
  }
);

test('each of many edits by an agent or on disk has its author (P40)', async ({
  page,
  lab,
  open
}) => {
  test.setTimeout(180_000);
  const file = await open(['a = 1', 'n = 0']);
  await lab.model!.script(code('a = 2'));
  const first = new CellUnderTest(page, 0);
  await first.ask('two');
  await first.accept(60_000);
  const id = await lab.notebookId(file);
  const wanted = ['unknown||n = 0'];
  const next = async (version: string) => {
    wanted.push(version);
    await execute(page, 'docmanager:save');
    await expect
      .poll(async () => {
        const records = await lab.records(id);
        const cell = records.find(({ meta }) => meta.cell_id === 'ce11-0002');
        return (cell?.events ?? []).map(({ source, contributor }) =>
          [contributor?.kind, contributor?.name, source].join('|')
        );
      })
      .toEqual(wanted);
  };
  for (let n = 1; n <= 40; n++) {
    await command(page, 'notebook-intelligence:set-cell', 1, `n = ${n}`);
    await next(`agent|notebook-intelligence|n = ${n}`);
  }
  for (let n = 41; n <= 80; n++) {
    const text = await lab.read(file);
    await lab.write(file, text.replace(`n = ${n - 1}`, `n = ${n}`));
    await page.evaluate(() =>
      (window as any).jupyterapp.shell.currentWidget.context.revert()
    );
    await next(`program|file on disk|n = ${n}`);
  }
});
