/**
 * Each way in which a notebook loses cells without its person, open and closed, with and without
 * jupyter-collaboration: the page says so, and one click brings all cells back (P54).
 */
import { expect, type Page, test } from '@playwright/test';
import { execFile } from 'node:child_process';
import { rename } from 'node:fs/promises';
import * as path from 'node:path';
import { promisify } from 'node:util';

import { Agent, digest } from '../fixtures/agent';
import { notebookFile } from '../fixtures/folder';
import { kernelIdle, overTests, Place } from '../fixtures/place';
import { begin, rowsOf, save, setSource } from '../fixtures/shell';

test.setTimeout(300_000);

const SOURCES = [
  'import math',
  'md:# 圆',
  'radius = 2',
  'md:面积 🙂',
  'math.pi'
];

interface ICase {
  readonly place: Place;
  readonly name: string;
  /** The file before the loss. */
  readonly text: string;
  /** The page that has the notebook open; null if it is closed. */
  readonly page: Page | null;
}

const run = promisify(execFile);

/** The ways in which cells are lost; each returns the end of the announcement. */
const WAYS: Record<string, (lost: ICase) => Promise<RegExp>> = {
  'an agent deletes them by its tools': async ({ place, name, text, page }) => {
    const agent = agentAt(place);
    const { cells, metadata } = JSON.parse(text);
    await agent.allow(metadata.aiserver.notebook_id, 'edit');
    const intent = { intent: 'tidy' };
    const { run } = await agent.use('run_begin', { path: name, ...intent });
    for (const { id, source } of cells.slice(1)) {
      const base = digest([source].flat().join(''));
      const edit = { run, cell: id, base, ...intent };
      const answer = agent.use('cell_delete', edit);
      await page!.getByRole('button', { name: 'Allow once' }).click();
      expect((await answer).deleted).toBe(true);
    }
    return /^4 cells .* removed by Codex\.$/;
  },
  'an agent writes the file': async lost => {
    const hook = async (phase: string) => {
      const session = lost.name;
      const write = { phase, agent: 'claude-code', tool: 'Write', session };
      const body = { ...write, path: lost.name, call: '1' };
      expect(await send(lost.place, 'POST', 'aiserver/agents/hook', body)).toBe(
        200
      );
    };
    await hook('before');
    await rewrite(lost, emptied(lost.text));
    await hook('after');
    return lost.page ? /^4 cells / : /^4 cells .* removed by claude-code\.$/;
  },
  'a program in the page deletes them': async ({ page }) => {
    await page!.evaluate(() => {
      const { content } = (window as any).jupyterapp.shell.currentWidget;
      const { sharedModel } = content.model;
      sharedModel.deleteCellRange(1, sharedModel.cells.length);
    });
    return /^4 cells .* removed by a program\.$/;
  },
  'a program writes the file': async lost => {
    await rewrite(lost, emptied(lost.text));
    return /^4 cells /;
  },
  'a sync program replaces the file': async lost => {
    const { place, name, text } = lost;
    await place.write('.copy.tmp', emptied(text));
    await rename(
      path.join(place.root, '.copy.tmp'),
      path.join(place.root, name)
    );
    await reload(lost);
    return /^4 cells /;
  },
  'git checkout': async lost => {
    const { place, name, text } = lost;
    const config = ['-c', 'user.name=a', '-c', 'user.email=a@localhost'];
    const git = (...words: string[]) =>
      run('git', [...config, ...words], { cwd: place.root });
    await git('init', '-q');
    await place.write(name, emptied(text));
    await git('add', name);
    await git('commit', '-qm', 'old');
    await place.write(name, text);
    await git('commit', '-qam', 'new');
    await git('checkout', '-q', 'HEAD~1', '--', name);
    await reload(lost);
    return /^4 cells /;
  },
  'an emptied model is saved': async ({ place, name, text, page }) => {
    if (page) {
      await page.evaluate(async () => {
        const { context } = (window as any).jupyterapp.shell.currentWidget;
        context.model.fromJSON({ ...context.model.toJSON(), cells: [] });
        await context.save();
      });
    } else {
      const content = { ...JSON.parse(text), cells: [] };
      const body = { type: 'notebook', format: 'json', content };
      expect(await send(place, 'PUT', `api/contents/${name}`, body)).toBe(200);
    }
    return /^5 cells /;
  },
  'half of the file': async lost => {
    await rewrite(lost, lost.text.slice(0, lost.text.length / 2));
    return /^5 cells /;
  },
  'no bytes': async lost => {
    await rewrite(lost, '');
    return /^5 cells /;
  }
};

/** The ways that need a page that has the notebook open. */
const IN_PAGE = /tools|in the page/;
/** jupyter-collaboration can't read these files, and keeps the document that is open. */
const UNREADABLE = /half|bytes/;

for (const environment of ['', 'rtc']) {
  for (const isOpen of [true, false]) {
    const title = `${isOpen ? 'open' : 'closed'} notebooks${environment && ' that people share'}`;
    test(`${title} get back what they lose (P54)`, async ({ page }) => {
      const place = await Place.start(
        environment ? { environment, env: overTests() } : {}
      );
      // Whether to reload, and which kernel: a damaged file doesn't say.
      const dialog = page.locator('.jp-Dialog').first();
      await page.addLocatorHandler(
        dialog,
        () => dialog.getByRole('button').last().click(),
        { noWaitAfter: true }
      );
      try {
        for (const [way, lose] of Object.entries(WAYS)) {
          if (isOpen || !IN_PAGE.test(way)) {
            await test.step(way, async () => {
              const name = `${way.replaceAll(' ', '-')}.ipynb`;
              const isKept = isOpen && environment && UNREADABLE.test(way);
              await (isKept
                ? keeps(place, name, page, lose)
                : getsBack(place, name, page, isOpen, lose));
            });
          }
        }
      } finally {
        await place.stop();
      }
    });
  }
}

async function getsBack(
  place: Place,
  name: string,
  page: Page,
  isOpen: boolean,
  lose: (lost: ICase) => Promise<RegExp>
): Promise<void> {
  const text = await prepare(place, name, isOpen ? page : null);
  const sentence = await lose({
    place,
    name,
    text,
    page: isOpen ? page : null
  });
  if (!isOpen) {
    await page.goto(`${place.url}/lab/tree/${name}?reset&token=${place.token}`);
  }
  await expect(page.getByText(sentence)).toBeVisible();
  // An announcement of fewer cells goes.
  await expect(page.getByText(/disappeared from/)).toHaveCount(1);
  await page.getByRole('button', { name: 'Bring all back' }).click();
  await expectAll(page, text);
}

/** The document stays as it is, and with its next change the file is whole again. */
async function keeps(
  place: Place,
  name: string,
  page: Page,
  lose: (lost: ICase) => Promise<RegExp>
): Promise<void> {
  const text = await prepare(place, name, page);
  await lose({ place, name, text, page });
  await expect
    .poll(() => place.log.join('\n'))
    .toContain(`Unreadable Notebook: ${place.root}/${name}`);
  await expectAll(page, text);
  await setSource(page, 2, 'radius = 3');
  await expect
    .poll(async () => cellsOf(await place.read(name).catch(() => '')))
    .toEqual(cellsOf(text.replace('radius = 2', 'radius = 3')));
}

/** Write a notebook whose cells are recorded, open it or leave the page, and return the file. */
async function prepare(
  place: Place,
  name: string,
  page: Page | null
): Promise<string> {
  await place.write(name, notebookFile(SOURCES));
  const { run } = await agentAt(place).use('run_begin', {
    path: name,
    intent: 'look'
  });
  await agentAt(place).use('run_end', { run });
  if (page) {
    await place.open(page, name);
    await kernelIdle(page);
    await save(page);
  }
  return place.read(name);
}

/** Compare the cells with those of a file, but for an empty one that JupyterLab adds. */
async function expectAll(page: Page, text: string): Promise<void> {
  await expect
    .poll(async () => (await rowsOf(page)).filter(({ source }) => source))
    .toEqual(cellsOf(text));
}

function cellsOf(text: string): unknown[] {
  try {
    return JSON.parse(text).cells.map((cell: any) => ({
      id: cell.id,
      type: cell.cell_type,
      source: [cell.source].flat().join('')
    }));
  } catch {
    return [];
  }
}

/** The text of a notebook with only its first cell. */
function emptied(text: string): string {
  const notebook = JSON.parse(text);
  return JSON.stringify({ ...notebook, cells: notebook.cells.slice(0, 1) });
}

async function rewrite(lost: ICase, text: string): Promise<void> {
  await lost.place.write(lost.name, text);
  await reload(lost);
}

/** Reload an open notebook from the disk; jupyter-collaboration does so by itself. */
async function reload({ page }: ICase): Promise<void> {
  const isShared = await page?.evaluate(
    () =>
      (window as any).jupyterapp.shell.currentWidget.context.model.collaborative
  );
  if (page && !isShared) {
    await begin(page, 'docmanager:reload');
  }
}

function agentAt({ url, token }: Place): Agent {
  return new Agent(url, token);
}

async function send(
  { url, token }: Place,
  method: string,
  address: string,
  body: object
): Promise<number> {
  const headers = { Authorization: `token ${token}` };
  const init = { method, headers, body: JSON.stringify(body) };
  return (await fetch(`${url}/${address}`, init)).status;
}
