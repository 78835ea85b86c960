/**
 * The identity of notebooks in the browser: copies, old formats, read-only and untrusted files.
 */
import type { IJupyterLabPageFixture } from '@jupyterlab/galata';

import { CellUnderTest, ReplayUnderTest } from '../fixtures/cells';
import { expect, notebookFile, openPath, reload, test } from '../fixtures/lab';
import { code } from '../fixtures/scripted';
import { begin, save } from '../fixtures/shell';

async function saveAs(
  page: IJupyterLabPageFixture,
  path: string
): Promise<void> {
  await begin(page, 'docmanager:save-as');
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox').fill(path);
  await dialog.getByRole('button', { name: 'Save' }).click();
}

test(
  'copies have separate histories, with all of them open',
  { tag: '@core' },
  async ({ page, lab, openNotebook, tmpPath }) => {
    // P28
    const file = await openNotebook(['x = 1'], { name: 'a.ipynb' });
    const intents = async (path: string) => {
      const [session] = await lab.sessions(await lab.notebookId(path));
      return session.interactions.map(turn => turn.user_request.intent);
    };
    const ask = async (intent: string) => {
      await lab.model!.script(code(`x = "${intent}"`));
      const cell = new CellUnderTest(page, 0);
      await cell.ask(intent);
      await cell.accept();
      await save(page);
    };
    await ask('before');

    await begin(page, 'docmanager:duplicate');
    const copy = `${tmpPath}/a-Copy1.ipynb`;
    await expect.poll(() => lab.notebookId(copy).catch(() => '')).toBeTruthy();
    await openPath(page, copy);
    await ask('in the copy');
    await openPath(page, file);
    await ask('in the original');
    expect(await intents(file)).toEqual(['before', 'in the original']);
    expect(await intents(copy)).toEqual(['before', 'in the copy']);

    const other = `${tmpPath}/b.ipynb`;
    await saveAs(page, other);
    // JupyterLab opens it next to the original, some time after the dialog has closed.
    await expect(page.getByRole('tab', { name: 'b.ipynb' })).toHaveAttribute(
      'aria-selected',
      'true'
    );
    await openPath(page, other);
    await ask('in the other');
    expect(await intents(other)).toEqual([
      'before',
      'in the original',
      'in the other'
    ]);
    expect(await intents(file)).toEqual(['before', 'in the original']);
  }
);

test('a notebook without cell ids has its history when it is opened again', async ({
  page,
  lab,
  tmpPath
}) => {
  // P28: JupyterLab would make new ids up on each opening.
  await lab.model!.clear();
  const file = `${tmpPath}/old.ipynb`;
  const old = JSON.parse(notebookFile(['first = 1', 'second = 2']));
  old.nbformat_minor = 2;
  old.cells.forEach((cell: { id?: string }) => delete cell.id);
  await lab.write(file, JSON.stringify(old));
  await openPath(page, file);
  const cell = new CellUnderTest(page, 1);
  await lab.model!.script(code('second = 3'));
  await cell.ask('make it three');
  await cell.accept();
  await save(page);

  await reload(page);
  await openPath(page, file);
  await cell.focus();
  const replay = new ReplayUnderTest(page);
  await replay.open();
  await expect(replay.panel).toContainText('make it three');
  await new CellUnderTest(page, 0).focus();
  await expect(replay.panel).not.toContainText('make it three');
});

test('asking in an untrusted notebook trusts nothing and runs nothing', async ({
  page,
  lab,
  tmpPath
}) => {
  // P13. The outputs are large, too: they never leave.
  await lab.model!.clear();
  const file = `${tmpPath}/foreign.ipynb`;
  const notebook = JSON.parse(notebookFile(['x = 1', 'y = 2']));
  const attack = 'window.canaryRan = true';
  notebook.cells[1].outputs = [
    {
      output_type: 'display_data',
      metadata: {},
      data: {
        'text/html': `<img src="x" onerror="${attack}"><script>${attack}</script>`,
        'application/javascript': attack
      }
    },
    {
      output_type: 'stream',
      name: 'stdout',
      text: 'canary-output '.repeat(200_000)
    }
  ];
  await lab.write(file, JSON.stringify(notebook));
  await openPath(page, file);
  const trusted = () =>
    page.evaluate(() =>
      [
        ...(window as any).jupyterapp.shell.currentWidget.content.model.cells
      ].map(cell => cell.trusted)
    );
  await expect.poll(trusted).toHaveLength(2);
  const before = await trusted();
  const cell = new CellUnderTest(page, 0);
  await lab.model!.script(code('x = 3'));
  await cell.ask('three');
  await cell.accept();
  await save(page);
  expect(await trusted()).toEqual(before);
  await reload(page);
  await openPath(page, file);
  await expect.poll(async () => (await trusted())[1]).toBe(false);
  expect(await page.evaluate(() => (window as any).canaryRan)).toBeUndefined();
  expect(JSON.parse(await lab.read(file)).cells[0].execution_count).toBeNull();
  const [request] = await lab.model!.requests();
  expect(JSON.stringify(request.body)).not.toContain('canary-output');
});

test('a read-only notebook can be asked in, and its history goes with the copy', async ({
  page,
  lab,
  tmpPath
}) => {
  await lab.model!.clear();
  const file = `${tmpPath}/shared.ipynb`;
  const text = notebookFile(['x = 1']);
  await lab.write(file, text);
  // FAKE: the tests may run as root, who may write all. So the answer of the server is changed
  // to the one that others get, and writing is refused as it is to them.
  await page.route(/api\/contents\/.*shared\.ipynb/, async route => {
    if (route.request().method() === 'PUT') {
      await route.fulfill({ status: 403, json: { message: 'read-only' } });
    } else {
      const response = await route.fetch();
      const model = await response.json();
      await route.fulfill({ response, json: { ...model, writable: false } });
    }
  });
  await openPath(page, file);
  const cell = new CellUnderTest(page, 0);
  await lab.model!.script(code('x = "from here"'), code('x = "from the copy"'));
  await cell.open();
  await expect(cell.row).toContainText('This notebook is read-only');
  await cell.ask('ask there');
  await expect(cell.proposal).toContainText('from here');
  await expect(cell.button('Copy')).toBeVisible();
  await cell.accept();
  expect(await lab.read(file)).toBe(text);
  await expect(page.getByRole('dialog')).toHaveCount(0);

  const copy = `${tmpPath}/mine.ipynb`;
  await saveAs(page, copy);
  // JupyterLab opens the copy, and closes what can't be saved.
  await page.getByRole('button', { name: /^Discard/ }).click();
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await openPath(page, copy);
  await cell.ask('and here');
  await expect(cell.row).not.toContainText('read-only');
  await cell.accept();
  const [session] = await lab.sessions(await lab.notebookId(copy));
  expect(session.interactions.map(turn => turn.user_request.intent)).toEqual([
    'ask there',
    'and here'
  ]);
  expect(await lab.read(file)).toBe(text);
});
