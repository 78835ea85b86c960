/**
 * Two people in one notebook at once, with jupyter-collaboration.
 */
import type { Page } from '@playwright/test';

import { Agent, digest } from '../fixtures/agent';
import { CellUnderTest, ReplayUnderTest } from '../fixtures/cells';
import { notebookFile } from '../fixtures/folder';
import { MemoryUnderTest } from '../fixtures/memory';
import {
  expect,
  overTests,
  type Place,
  test as single
} from '../fixtures/place';
import { code } from '../fixtures/scripted';
import { idsOf, rowsOf, sourcesOf } from '../fixtures/shell';

type OpenByBoth = (name: string, sources: string[]) => Promise<[Page, Page]>;

const test = single.extend<object, { openByBoth: OpenByBoth }>({
  // Two people, each in a browser of their own, who open a notebook that has no id yet.
  openByBoth: [
    async ({ browser, place }, use) => {
      const contexts = [await browser.newContext(), await browser.newContext()];
      const pages = await Promise.all(contexts.map(each => each.newPage()));
      await place.write('start.ipynb', notebookFile(['']));
      for (const page of pages) {
        // On a slow machine: the notebook waits for the person, and not for us alone.
        const slow = page.getByRole('dialog', { name: /^Loading/ });
        await page.addLocatorHandler(slow, () =>
          slow.getByRole('button', { name: 'Continue waiting' }).click()
        );
        await place.open(page, 'start.ipynb');
      }
      await use(async (name, sources) => {
        await place.model.clear();
        await place.write(name, notebookFile(sources));
        await Promise.all(pages.map(page => place.switchTo(page, name)));
        return [pages[0], pages[1]];
      });
      await Promise.all(contexts.map(each => each.close()));
    },
    { scope: 'worker', timeout: 120_000 }
  ]
});

test.use({ placeOptions: { environment: 'rtc', env: overTests() } });
test.setTimeout(240_000);

/** Do something with the cells from one to another, as a person of the two. */
function work(
  page: Page,
  command: string,
  first: number,
  last = first
): Promise<void> {
  return page.evaluate(
    async ([command, first, last]) => {
      const { commands, shell } = (window as any).jupyterapp;
      const { content } = shell.currentWidget;
      content.mode = 'command';
      content.deselectAll();
      content.activeCellIndex = first;
      if (first !== last) {
        content.extendContiguousSelectionTo(last);
      }
      // What is done within half a second is one step of undo. People are slower.
      content.model.sharedModel.undoManager.stopCapturing();
      await commands.execute(command);
    },
    [command, first, last] as const
  );
}

async function asked(place: Place): Promise<void> {
  // The first request of a server loads much, and two browsers want the same processor.
  await expect
    .poll(async () => (await place.model.requests())[0]?.sent, {
      timeout: 90_000
    })
    .toBe(2);
}

test('others see an answer once it is accepted; only the person who accepted it can undo it', async ({
  openByBoth,
  place
}) => {
  // P35 under RTC
  const before = '# 我的代码\nx = 1';
  const [a, b] = await openByBoth('accept.ipynb', [before]);
  const [hers, his] = [new CellUnderTest(a, 0), new CellUnderTest(b, 0)];
  await place.model.script({ ...code('x = 2\ny = 3'), hold_after: 2 });
  await hers.ask('set y');
  await asked(place);
  // The id that the request names is on disk by now.
  const id = await place.notebookId('accept.ipynb');
  expect(id).toMatch(/^[\w-]{36}$/);
  await expect(hers.proposal).toBeVisible();
  expect(await sourcesOf(b)).toEqual([before]);
  await expect(his.proposal).toHaveCount(0);
  await place.model.release();
  await expect(hers.button(/^Accept$/)).toBeEnabled();
  expect(await sourcesOf(b)).toEqual([before]);

  await hers.accept();
  await expect.poll(() => sourcesOf(b)).toEqual(['x = 2\ny = 3']);
  // His own typing is what his undo takes back, and nothing of hers.
  await his.focus();
  await b.keyboard.press('ControlOrMeta+End');
  await b.keyboard.type('\nz = 4');
  await expect.poll(() => sourcesOf(a)).toEqual(['x = 2\ny = 3\nz = 4']);
  await b.keyboard.press('ControlOrMeta+z');
  await b.keyboard.press('ControlOrMeta+z');
  await expect.poll(() => sourcesOf(a)).toEqual(['x = 2\ny = 3']);
  // One undo of hers gives the bytes of before, to both.
  await hers.focus();
  await a.keyboard.press('ControlOrMeta+z');
  await expect.poll(() => sourcesOf(a)).toEqual([before]);
  await expect.poll(() => sourcesOf(b)).toEqual([before]);
  const [session] = await place.sessions(id);
  expect(session.interactions).toHaveLength(1);
});

test('a suggestion follows the other’s edits, and is accepted in parts (P40)', async ({
  openByBoth,
  place
}) => {
  const before = 'a = 1\nb = 2\nc = 3\nd = 4\ne = 5';
  const [a, b] = await openByBoth('parts.ipynb', [before]);
  const [hers, his] = [new CellUnderTest(a, 0), new CellUnderTest(b, 0)];
  await place.model.script(code('a = 10\nb = 2\nc = 3\nd = 4\ne = 50'));
  await hers.ask('times ten');
  const accept = hers.proposal.getByRole('button', {
    name: 'Accept this change'
  });
  await expect(accept).toHaveCount(2);
  await his.focus();
  await b.keyboard.press('ControlOrMeta+Home');
  for (const key of ['ArrowDown', 'ArrowDown', 'End']) {
    await b.keyboard.press(key);
  }
  await b.keyboard.type('3');
  // Her diff has his line, without a change of it; no change of hers is in his cell.
  await expect(hers.proposal).toContainText('c = 33');
  await expect(accept).toHaveCount(2);
  await expect
    .poll(() => sourcesOf(b))
    .toEqual([before.replace('c = 3', 'c = 33')]);
  await accept.first().click();
  await expect(accept).toHaveCount(1);
  await expect
    .poll(() => sourcesOf(b))
    .toEqual(['a = 10\nb = 2\nc = 33\nd = 4\ne = 5']);
  await hers.accept();
  await expect
    .poll(() => sourcesOf(b))
    .toEqual(['a = 10\nb = 2\nc = 33\nd = 4\ne = 50']);
  // Her undos take back her parts only.
  await hers.focus();
  await a.keyboard.press('ControlOrMeta+z');
  await a.keyboard.press('ControlOrMeta+z');
  await expect
    .poll(() => sourcesOf(b))
    .toEqual([before.replace('c = 3', 'c = 33')]);
});

test('two requests for one cell: the model is asked once, and the other person is informed', async ({
  openByBoth,
  place
}) => {
  // P33 under RTC
  const [a, b] = await openByBoth('one-cell.ipynb', ['x = 1']);
  const [hers, his] = [new CellUnderTest(a, 0), new CellUnderTest(b, 0)];
  await place.model.script({ ...code('x = 2'), hold_after: 2 });
  await hers.ask('mine');
  await asked(place);
  await his.ask('mine, too');
  await expect(his.row.getByRole('alert')).toContainText(/already/);
  expect(await place.model.requests()).toHaveLength(1);
  await place.model.release();
  await hers.accept();
  await expect.poll(() => sourcesOf(b)).toEqual(['x = 2']);
});

test('two ask at once in a notebook without an id: one id survives', async ({
  openByBoth,
  place
}) => {
  // P28 under RTC
  const [a, b] = await openByBoth('one-id.ipynb', ['x = 1', 'y = 1']);
  const [hers, his] = [new CellUnderTest(a, 0), new CellUnderTest(b, 1)];
  await hers.open();
  await his.open();
  await hers.input.fill('two for x');
  await his.input.fill('two for y');
  await Promise.all([hers.input.press('Enter'), his.input.press('Enter')]);
  await Promise.all([hers.accept(), his.accept()]);
  const id = await place.notebookId('one-id.ipynb');
  const sessions = (await place.allSessions()).filter(session =>
    session.interactions.some(({ user_request }) =>
      user_request.intent.startsWith('two for')
    )
  );
  expect(sessions.map(({ meta }) => meta.notebook_id)).toEqual([id, id]);
  expect(sessions.map(({ meta }) => meta.cell_id).sort()).toEqual([
    'ce11-0001',
    'ce11-0002'
  ]);
});

test('the cell is moved, or deleted, by the other while its answer comes', async ({
  openByBoth,
  place
}) => {
  // P34 under RTC
  const [a, b] = await openByBoth('moved.ipynb', ['first = 1', 'second = 2']);
  await place.model.script({ ...code('answer = 42'), hold_after: 2 });
  await new CellUnderTest(a, 0).ask('for the first');
  await asked(place);
  await b.evaluate(() =>
    (window as any).jupyterapp.shell.currentWidget.content.moveCell(0, 1)
  );
  await expect.poll(() => sourcesOf(a)).toEqual(['second = 2', 'first = 1']);
  await place.model.release();
  await new CellUnderTest(a, 1).accept();
  await expect.poll(() => sourcesOf(b)).toEqual(['second = 2', 'answer = 42']);

  await place.model.clear();
  await place.model.script({ ...code('answer = 43'), hold_after: 2 });
  await new CellUnderTest(a, 1).ask('for the doomed');
  await asked(place);
  await b.evaluate(() => {
    const { commands, shell } = (window as any).jupyterapp;
    shell.currentWidget.content.activeCellIndex = 1;
    return commands.execute('notebook:delete-cell');
  });
  await expect.poll(() => sourcesOf(a)).toEqual(['second = 2']);
  await place.model.release();
  const id = await place.notebookId('moved.ipynb');
  await expect
    .poll(async () =>
      (await place.sessions(id))[0].interactions.map(
        ({ ai_response }) => ai_response.suggestion
      )
    )
    .toEqual(['answer = 42', 'answer = 43']);
  expect(await sourcesOf(a)).toEqual(['second = 2']);
  expect(await sourcesOf(b)).toEqual(['second = 2']);
});

test('whatever the two do to the cells, each cell has its own history, recorded once', async ({
  openByBoth,
  place
}) => {
  // P28 under RTC
  const [a, b] = await openByBoth('lineage.ipynb', [
    'a = 1\nb = 2',
    'c = 1',
    'd = 1'
  ]);
  await place.model.script(code('c = 2'));
  const hers = new CellUnderTest(a, 1);
  await hers.ask('two');
  await hers.accept();
  const id = await place.notebookId('lineage.ipynb');
  const expectRecords = (cellId: string) =>
    expect.poll(async () => {
      const all = await place.records(id);
      const session = all.find(({ meta }) => meta.cell_id === cellId);
      return [...(session?.interactions ?? []), ...(session?.events ?? [])]
        .sort((a, b) => (a.seq ?? 0) - (b.seq ?? 0))
        .map(record => ('type' in record ? record.type : 'turn'));
    });
  await expectRecords('ce11-0001').toEqual(['edit']);
  await expectRecords('ce11-0002').toEqual(['turn', 'accept']);
  // He hears of her request when he comes to a cell: from then on he watches, too.
  await new CellUnderTest(b, 2).focus();
  await new CellUnderTest(b, 0).focus();

  // He splits, she merges what he has split, and undoes that.
  await b.keyboard.press('ControlOrMeta+Home');
  await b.keyboard.press('End');
  await b.keyboard.press('ControlOrMeta+Shift+Minus');
  await expect
    .poll(() => sourcesOf(a))
    .toEqual(['a = 1', 'b = 2', 'c = 2', 'd = 1']);
  const [piece] = await idsOf(a);
  await expectRecords(piece).toEqual(['edit', 'split']);
  await expectRecords('ce11-0001').toEqual(['edit', 'split']);
  await work(a, 'notebook:merge-cells', 0, 1);
  await expect
    .poll(() => sourcesOf(b))
    .toEqual(['a = 1\n\nb = 2', 'c = 2', 'd = 1']);
  const [merged] = await idsOf(b);
  await expectRecords(merged).toEqual(['merge']);
  await expectRecords('ce11-0001').toEqual(['edit', 'split', 'merge']);
  await expectRecords(piece).toEqual(['edit', 'split', 'merge']);
  await work(a, 'notebook:undo-cell-action', 0);
  await expect.poll(() => idsOf(b)).toHaveLength(4);
  await expectRecords('ce11-0001').toEqual([
    'edit',
    'split',
    'merge',
    'undelete'
  ]);
  await expectRecords(piece).toEqual(['edit', 'split', 'merge', 'undelete']);
  await expectRecords(merged).toEqual(['merge', 'delete']);

  // He copies her cell, and moves his copy; she makes text of the last one.
  await work(b, 'notebook:copy-cell', 2);
  await work(b, 'notebook:paste-cell-below', 2);
  await expect.poll(() => idsOf(a)).toHaveLength(5);
  const copy = (await idsOf(a))[3];
  await expectRecords(copy).toEqual(['turn', 'accept', 'copy']);
  await work(b, 'notebook:move-cell-down', 3);
  await expectRecords(copy).toEqual(['turn', 'accept', 'copy', 'move']);
  await work(a, 'notebook:change-cell-to-markdown', 3);
  await expectRecords('ce11-0003').toEqual(['edit', 'type']);
  await expectRecords('ce11-0002').toEqual(['turn', 'accept']);

  // Nobody told what another had told: no event is in two cells but what a copy began with.
  const all = await place.records(id);
  expect(all.map(({ meta }) => meta.cell_id).sort()).toEqual(
    ['ce11-0001', 'ce11-0002', 'ce11-0003', piece, merged, copy].sort()
  );
  // And the notebook as it is now can be read off what both have told.
  const cells = await rowsOf(a);
  const ask = async (what: string) =>
    (
      await a.request.get(`${place.url}/aiserver/notebooks/${id}/${what}`)
    ).json();
  const { moments } = await ask('timeline');
  const last = await ask(`moments/${moments.length - 1}`);
  expect(
    last.cells.map(({ cellId: id, type, source }: any) => ({
      id,
      type,
      source
    }))
  ).toEqual(cells);
});

test('each person’s replay shows the other’s changes, and both get a restore', async ({
  openByBoth,
  place
}) => {
  // P35 under RTC
  const before = 'x = 1\ny = 2';
  const [a, b] = await openByBoth('replay.ipynb', [before, 'z = 3']);
  const replay = new ReplayUnderTest(b);
  await place.model.script(code('x = 10'), code('x = 100'));
  const hers = new CellUnderTest(a, 0);
  await new CellUnderTest(b, 0).focus();
  await replay.open();
  await expect(replay.button('Ask for code')).toBeVisible();
  // He stays where he is, and sees what she does: before she accepts it, too.
  await hers.ask('ten');
  await expect(replay.panel).toContainText('ten');
  const stepCount = await replay.steps.count();
  await hers.accept();
  await hers.ask('a hundred');
  await expect(replay.panel).toContainText('a hundred');
  await expect(replay.steps).toHaveCount(stepCount + 1);
  await hers.accept();
  await expect(replay.slider).toHaveAttribute(
    'aria-valuenow',
    `${stepCount + 1}`
  );

  await replay.steps.getByRole('button', { name: /^ten/ }).click();
  await replay.button('Restore this version').click();
  await expect.poll(() => sourcesOf(a)).toEqual(['x = 10', 'z = 3']);
  const id = await place.notebookId('replay.ipynb');
  const restores = async () => {
    const [session] = await place.sessions(id);
    return session.events?.filter(({ type }) => type === 'restore');
  };
  await expect
    .poll(restores)
    .toMatchObject([{ source: 'x = 10', data: { replaced: 'x = 100' } }]);
  await replay.button('Undo').click();
  await expect.poll(() => sourcesOf(a)).toEqual(['x = 100', 'z = 3']);
  expect(await sourcesOf(b)).toEqual(['x = 100', 'z = 3']);
  expect(await restores()).toHaveLength(1);
});

test('a text to remember waits in both windows, and is decided about once (P45)', async ({
  openByBoth,
  place
}) => {
  const [a, b] = await openByBoth('remembered.ipynb', ['x = 1']);
  const hers = new CellUnderTest(a, 0);
  const question = new MemoryUnderTest(a).questionIn(hers.row);
  const memory = new MemoryUnderTest(b);
  await hers.ask('remember that x counts from one');
  await expect(question).toBeVisible();
  await memory.open();
  const row = memory.row('x counts from one');
  await expect(row).toContainText('Waits until');
  await row.getByRole('button', { name: 'Remember for this project' }).click();
  await expect(row).not.toContainText('Waits until');
  const text = await place.read('.aiserver_memory/MEMORY.md');
  expect(text).toContain('- x counts from one (');
  // Her window hasn't heard of it. Her decision comes second, and she sees which one holds.
  await question.getByRole('button', { name: 'Remember for me' }).click();
  await expect(question).toBeHidden();
  await expect(hers.row).toContainText('Remembered for this project.');
  expect(await place.read('.aiserver_memory/MEMORY.md')).toBe(text);
  expect(await place.model.requests()).toHaveLength(0);
});

test('an agent edits the shared notebook, and its file when nobody has it open (P52)', async ({
  openByBoth,
  place
}) => {
  const path = 'agent.ipynb';
  const [a, b] = await openByBoth(path, ['x = 1', 'y = 1']);
  await place.model.script(code('x = 2'));
  const hers = new CellUnderTest(a, 0);
  await hers.ask('two');
  await hers.accept();
  const id = await place.notebookId(path);
  const [, cell] = await idsOf(a);
  const agent = new Agent(place.url, place.token);
  await agent.allow(id, 'edit');
  const { run } = await agent.use('run_begin', { path, intent: 'count' });
  const count = async (from: number, to: number) => {
    for (let n = from; n <= to; n++) {
      const { applied } = await agent.use('cell_edit', {
        run,
        cell,
        base: digest(`y = ${n - 1}`),
        source: `y = ${n}`,
        intent: `make it ${n}`,
        mode: 'apply'
      });
      expect(applied).toBe(true);
    }
  };
  await count(2, 21);
  for (const page of [a, b]) {
    await expect.poll(() => sourcesOf(page)).toEqual(['x = 2', 'y = 21']);
  }
  await place.write('other.ipynb', notebookFile(['z = 1']));
  await place.switchTo(a, 'other.ipynb');
  await place.switchTo(b, 'other.ipynb');
  await count(22, 41);
  await place.switchTo(a, path);
  await expect.poll(() => sourcesOf(a)).toEqual(['x = 2', 'y = 41']);
  const session = (await place.records(id)).find(
    ({ meta }) => meta.cell_id === cell
  );
  // A page that opens the notebook before the server has noticed the last edits gets earlier ones.
  const edits = (session?.events ?? []).filter(
    ({ contributor }) => contributor?.kind === 'agent'
  );
  expect(
    edits.map(({ source, contributor, data }) => [
      source,
      contributor?.name,
      data?.intent
    ])
  ).toEqual(
    Array.from({ length: 40 }, (_, i) => [
      `y = ${i + 2}`,
      'Codex',
      `make it ${i + 2}`
    ])
  );
});

test('cells that vanish from the file of a shared notebook are brought back for both (P54)', async ({
  openByBoth,
  place
}) => {
  const path = 'lost.ipynb';
  const sources = ['a = 1', 'b = 1', 'c = 1', 'd = 1'];
  const [a, b] = await openByBoth(path, sources);
  await place.model.script(code('a = 2'));
  const hers = new CellUnderTest(a, 0);
  await hers.ask('two');
  await hers.accept();
  const whole = ['a = 2', ...sources.slice(1)];
  const inFile = async () =>
    JSON.parse(await place.read(path)).cells.map(({ source }: any) =>
      [source].flat().join('')
    );
  await expect.poll(inFile).toEqual(whole);
  const notebook = JSON.parse(await place.read(path));
  const cells = notebook.cells.slice(0, 1);
  await place.write(path, JSON.stringify({ ...notebook, cells }));
  await expect.poll(() => sourcesOf(b)).toEqual(['a = 2']);
  // One of the two pages says so.
  const text = /^3 cells have disappeared from lost\.ipynb/;
  const said = (page: Page) =>
    page
      .getByText(text)
      .waitFor({ timeout: 2000 })
      .then(() => page);
  const page = await Promise.any([said(a), said(b)]);
  await page.getByRole('button', { name: 'Bring all back' }).click();
  await expect.poll(() => sourcesOf(a)).toEqual(whole);
  await expect.poll(() => sourcesOf(b)).toEqual(whole);
});

for (const [what, damage] of [
  ['no bytes', () => ''],
  ['half of its bytes', (text: string) => text.slice(0, text.length / 2)]
] as const) {
  test(`a notebook whose file has ${what} opens, and its cells come back (P54)`, async ({
    openByBoth,
    place
  }) => {
    const path = `damaged-${what.split(' ')[0]}.ipynb`;
    const sources = ['a = 1', 'b = 1', 'c = 1', 'd = 1'];
    await place.write(path, notebookFile(sources));
    // No page has opened it yet: jupyter-collaboration would keep the document for a while.
    const agent = new Agent(place.url, place.token);
    await agent.use('run_begin', { path, intent: 'look' });
    await place.write(path, damage(await place.read(path)));
    const [, b] = await openByBoth('other.ipynb', ['z = 1']);
    // The file doesn't say any more which kernel it wants.
    const dialog = b.locator('.jp-Dialog');
    await b.addLocatorHandler(dialog, () =>
      dialog.getByRole('button').last().click()
    );
    await b.goto(`${place.url}/lab/tree/${path}?reset&token=${place.token}`);
    await b.getByRole('button', { name: 'Bring all back' }).click();
    await expect
      .poll(async () => (await sourcesOf(b)).filter(Boolean))
      .toEqual(sources);
  });
}
