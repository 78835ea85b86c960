/**
 * Notebooks as they are: 78 real files of nbformat 2 to 4.99 (tests/data/notebooks).
 */
import type { IJupyterLabPageFixture } from '@jupyterlab/galata';
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import * as path from 'node:path';

import { expect, test } from '../fixtures/lab';
import { execute, save } from '../fixtures/shell';

const FOLDER = path.resolve(__dirname, '../../tests/data/notebooks');

/** Those that JupyterLab itself can't open, and why. */
const UNREADABLE: Record<string, string> = {
  'nbformat__test3_no_metadata.ipynb': 'nbformat 3 without metadata',
  'nbformat__test3_no_worksheets.ipynb': 'nbformat 3 without worksheets',
  'nbformat__test3_worksheet_with_no_cells.ipynb':
    'nbformat 3, a worksheet without cells',
  'nbformat__v4_5_invalid_metadata.ipynb':
    'a cell’s metadata.jupyter is text, into which JupyterLab writes a key'
};

// Of a thousand steps a trace would cost more than the steps.
test.use({ trace: 'off' });

interface INotebook {
  cells: { id: string; cell_type: string; source: string | string[] }[];
  metadata: Record<string, unknown> & { aiserver?: { notebook_id: string } };
  nbformat: number;
  nbformat_minor: number;
}

/** An open notebook as JupyterLab would save it, and the cell to ask in. */
interface IOpen {
  notebook: INotebook;
  index: number;
}

/** Open without a kernel, for nothing here needs one. */
async function open(
  page: IJupyterLabPageFixture,
  file: string
): Promise<IOpen> {
  return page.evaluate(async name => {
    const { commands } = (window as any).jupyterapp;
    const panel = await commands.execute('docmanager:open', { path: name });
    const { context } = panel;
    context.sessionContext.kernelPreference = {
      ...context.sessionContext.kernelPreference,
      shouldStart: false,
      canStart: false
    };
    await context.ready;
    await panel.revealed;
    const notebook = context.model.toJSON();
    const code = notebook.cells.findIndex(
      (cell: { cell_type: string }) => cell.cell_type === 'code'
    );
    panel.content.activeCellIndex = Math.max(0, code);
    return { notebook, index: Math.max(0, code) };
  }, file);
}

/** Ask in the active cell through its row, accept, save. */
async function askAndAccept(page: IJupyterLabPageFixture): Promise<void> {
  await execute(page, 'aiserver:ask-cell');
  const row = page.getByRole('group', { name: 'Ask for code' });
  await row.getByRole('textbox').fill('say hello');
  await row.getByRole('textbox').press('Enter');
  await row.getByRole('button', { name: /^Accept$/ }).click();
  await expect(row).toHaveCount(0);
  await save(page);
}

/** Close it, and whatever JupyterLab had to say about it. */
async function close(page: IJupyterLabPageFixture): Promise<void> {
  await page.evaluate(() => {
    (window as any).jupyterapp.shell.currentWidget.dispose();
  });
}

/** The error of Python's nbformat for each file; empty if it is valid. */
function validity(files: string[]): string[] {
  const script = [
    'import json, sys, warnings, nbformat',
    'warnings.simplefilter("ignore")',
    'def say(name):',
    '    try:',
    '        nbformat.validate(json.load(open(name, encoding="utf-8")))',
    '    except Exception as error:',
    '        return str(error).split("\\n")[0]',
    'print(json.dumps([say(name) or "" for name in sys.argv[1:]]))'
  ].join('\n');
  return JSON.parse(
    execFileSync('python', ['-c', script, ...files], { encoding: 'utf-8' })
  );
}

/**
 * A notebook without permitted differences: the splitting of texts into lines, and JupyterLab's own
 * metadata.
 */
function plain(value: unknown, key = ''): unknown {
  if (Array.isArray(value)) {
    const isText =
      key === 'source' ||
      (value.length > 0 && value.every(item => typeof item === 'string'));
    return isText ? value.join('') : value.map(item => plain(item));
  }
  if (value && typeof value === 'object') {
    const own = Object.entries(value).filter(
      ([name, item]) =>
        item !== undefined &&
        !(key === 'metadata' && /^trusted$|^orig_nbformat/.test(name))
    );
    return Object.fromEntries(
      own.map(([name, item]) => [name, plain(item, name)])
    );
  }
  return value;
}

function isValid(id: unknown): boolean {
  return typeof id === 'string' && /^[A-Za-z0-9_-]{1,64}$/.test(id);
}

/** The notebook that JupyterLab alone would have saved, with one cell's code and all ids. */
function expected(
  { notebook, index }: IOpen,
  after: INotebook,
  answer: string
): INotebook {
  const ids = after.cells.map(({ id }) => id);
  const bad = ids.filter((id, at) => !isValid(id) || ids.indexOf(id) !== at);
  expect(bad).toEqual([]);
  const copy: INotebook = JSON.parse(JSON.stringify(notebook));
  const seen = new Set<string>();
  copy.cells.forEach((cell, number) => {
    const { id } = after.cells[number];
    const colab = (cell as any).metadata?.id;
    const usable = isValid(cell.id) && !seen.has(cell.id);
    seen.add(cell.id);
    if (!usable || id === colab) {
      cell.id = id;
    }
  });
  copy.cells[index].source = answer;
  copy.metadata.aiserver = after.metadata.aiserver;
  // Cells have ids from nbformat 4.5 on.
  copy.nbformat_minor = Math.max(5, copy.nbformat_minor ?? 0);
  return copy;
}

test('every notebook that JupyterLab opens can be asked in, and only that cell changes', async ({
  page,
  lab,
  tmpPath
}) => {
  // P34 for all kinds of files: the ids are saved first.
  test.setTimeout(600_000);
  // What JupyterLab says of converted or invalid notebooks.
  const dialog = page.locator('.jp-Dialog');
  await page.addLocatorHandler(dialog, () =>
    dialog.locator('.jp-mod-accept').first().click()
  );
  const names = readdirSync(FOLDER).filter(name => name.endsWith('.ipynb'));
  expect(names).toHaveLength(78);
  const wrong: Record<string, unknown> = {};
  const written: string[] = [];

  for (const name of names.filter(name => !(name in UNREADABLE)).sort()) {
    const file = `${tmpPath}/${name}`;
    await lab.write(file, await readFile(path.join(FOLDER, name), 'utf-8'));
    const before = await open(page, file);
    const { cell_type: kind, source } = before.notebook.cells[before.index];
    const hello = `hello = "${name} 你好"`;
    // A text keeps what it is made of: JupyterLab drops attachments that it doesn't show.
    const answer = kind === 'code' ? hello : `${source}\n\n${hello}`;
    const tag = { code: 'python', raw: 'text' }[kind] ?? kind;
    await lab.model!.script({ text: '````' + tag + '\n' + answer + '\n````' });
    try {
      await askAndAccept(page);
      const after: INotebook = JSON.parse(await lab.read(file));
      const id = after.metadata.aiserver!.notebook_id;
      const [session] = await lab.sessions(id);
      expect(session.meta.cell_id).toBe(after.cells[before.index].id);
      const [turn] = session.interactions;
      expect(turn.ai_response.suggestion).toBe(answer);
      expect(plain(after)).toEqual(plain(expected(before, after, answer)));
      written.push(name);
    } catch (reason) {
      wrong[name] = String(reason).slice(0, 1500);
    }
    await close(page);
  }
  expect(wrong).toEqual({});

  // Those that were valid are valid still.
  const before = validity(written.map(name => path.join(FOLDER, name)));
  const now = validity(written.map(name => path.join(lab.root, tmpPath, name)));
  const invalidated = written.filter(
    (_, number) => now[number] && !before[number]
  );
  expect(invalidated).toEqual([]);
});
