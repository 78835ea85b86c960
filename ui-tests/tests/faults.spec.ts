/**
 * Failures during a generation: each ends in one state and one message, and nothing is lost.
 */
import { readFile, writeFile } from 'node:fs/promises';
import * as path from 'node:path';

import { CellUnderTest, ReplayUnderTest } from '../fixtures/cells';
import { expect, openLab, test } from '../fixtures/plain';
import { code } from '../fixtures/scripted';
import { execute, save, setSource, sourcesOf } from '../fixtures/shell';

const INTERRUPTED = 'was interrupted';
const ANSWER = 'first = 1\nsecond = 2\nthird = 3';

/**
 * The state after an interrupted stream: one message, nothing to accept, the request's text. What had
 * come stays visible if the connection was lost.
 */
async function expectInterrupted(
  cell: CellUnderTest,
  wish: string,
  source: string,
  sentence = INTERRUPTED
): Promise<void> {
  await expect(cell.row.getByRole('alert')).toHaveCount(1);
  await expect(cell.row.getByRole('alert')).toContainText(sentence);
  await expect(cell.button('Stop')).toHaveCount(0);
  await expect(cell.button(/^Accept$/)).toHaveCount(0);
  await expect(cell.proposal).toHaveCount(sentence === INTERRUPTED ? 1 : 0);
  await expect(cell.input).toHaveValue(wish);
  expect(await cell.source()).toBe(source);
}

/** Asked again while the server is away: said. JupyterLab's own dialog may come under the click. */
async function expectNoAnswer(cell: CellUnderTest): Promise<void> {
  await expect(async () => {
    await cell.button('Try again').click();
    await expect(cell.row.getByRole('alert')).toContainText(
      'is not responding',
      { timeout: 3000 }
    );
  }).toPass({ timeout: 30_000 });
}

for (const [how, signal] of [
  ['killed', 'SIGKILL'],
  ['stopped in good order', 'SIGTERM']
] as const) {
  // Killing it is the harder one.
  const tag = signal === 'SIGKILL' ? '@core' : [];
  test(
    `the server is ${how} mid-stream, and comes back`,
    { tag },
    async ({ page, lab, open }) => {
      // P36, P32
      const file = await open(['stay = 1']);
      const cell = new CellUnderTest(page, 0);
      const replay = new ReplayUnderTest(page);
      await replay.open();
      await lab.model!.script(
        { ...code(ANSWER), hold_after: 4 },
        code(ANSWER, 'whole')
      );
      await cell.ask('a long wish');
      await lab.model!.sent(4);
      await expect(cell.proposal).toBeVisible();
      await lab.stop(signal);
      await expectInterrupted(
        cell,
        'a long wish',
        'stay = 1',
        signal === 'SIGTERM' ? 'server shut down' : INTERRUPTED
      );
      // While it is away that is said, and nothing spins.
      await expectNoAnswer(cell);
      await lab.start();
      if (signal === 'SIGTERM') {
        // What had come is a turn of the history, and the sidebar learns of it by itself.
        await expect(replay.steps.last()).toContainText('a long wish');
      }
      await cell.button('Try again').click();
      await cell.accept();
      expect(await cell.source()).toBe(ANSWER);
      const [session] = await lab.sessions(await lab.notebookId(file));
      expect(session.interactions.map(turn => turn.ai_response.status)).toEqual(
        signal === 'SIGTERM' ? ['cancelled', 'success'] : ['success']
      );
    }
  );
}

test('the network fails silently and recovers', async ({
  page,
  context,
  lab,
  open
}) => {
  // P36: nothing comes and nothing ends, as on a laptop that was closed. (The server stands still
  // for longer than its heartbeat, which looks the same from here.)
  test.setTimeout(180_000);
  await open(['stay = 1']);
  const cell = new CellUnderTest(page, 0);
  await lab.model!.script({ ...code(ANSWER), hold_after: 4 }, code(ANSWER));
  await cell.ask('a long wish');
  await lab.model!.sent(4);
  await expect(cell.proposal).toContainText('first');
  await context.setOffline(true);
  process.kill(lab.pid, 'SIGSTOP');
  try {
    await expect(cell.row.getByRole('alert')).toBeVisible({ timeout: 50_000 });
    await expectInterrupted(cell, 'a long wish', 'stay = 1');
    await expectNoAnswer(cell);
  } finally {
    process.kill(lab.pid, 'SIGCONT');
    await context.setOffline(false);
  }
  await cell.button('Try again').click();
  await cell.accept();
  expect(await cell.source()).toBe(ANSWER);
  await expect
    .poll(async () => (await lab.model!.requests())[0].outcome)
    .toBe('gone');
});

test('a suspended page continues where it was', async ({ page, lab, open }) => {
  // P36: no doubled text, nothing missing.
  await open(['stay = 1']);
  const cell = new CellUnderTest(page, 0);
  await lab.model!.script({ ...code(ANSWER), hold_after: 4 });
  await cell.ask('a long wish');
  await lab.model!.sent(4);
  await expect(cell.proposal).toContainText('first');
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Page.setWebLifecycleState', { state: 'frozen' });
  await lab.model!.release();
  await expect
    .poll(async () => (await lab.model!.requests())[0].outcome)
    .toBe('whole');
  await cdp.send('Page.setWebLifecycleState', { state: 'active' });
  await cell.accept();
  expect(await cell.source()).toBe(ANSWER);
});

test(
  'the disk is full: the answer is shown, and events are recorded later',
  { tag: '@core' },
  async ({ page, lab, open }) => {
    // P20
    test.setTimeout(180_000);
    const file = await open(['stay = 1']);
    const cell = new CellUnderTest(page, 0);
    await lab.model!.script(
      code('kept = 1'),
      code('lost = 2'),
      code('late = 3')
    );
    await cell.ask('one');
    await cell.accept();
    const id = await lab.notebookId(file);
    await expect
      .poll(async () => (await lab.sessions(id))[0].events?.length)
      .toBe(1);
    await cell.ask('two');
    await expect(cell.button(/^Accept$/)).toBeEnabled();
    lab.fillDisk(true);
    try {
      await cell.accept();
      await expect(
        page.getByText('this step will be saved as soon as possible')
      ).toBeVisible();
      expect(await cell.source()).toBe('lost = 2');
      await cell.ask('three');
      await expect(cell.row).toContainText(
        'The disk is full, so this answer was not saved'
      );
      await expect(cell.button('Copy')).toBeVisible();
      await cell.accept();
      expect(await cell.source()).toBe('late = 3');
    } finally {
      lab.fillDisk(false);
    }
    // What was done meanwhile is noted by itself, in its order.
    await expect
      .poll(
        async () =>
          (await lab.sessions(id))[0].events?.map(({ type, source }) => [
            type,
            source
          ]),
        { timeout: 75_000 }
      )
      .toEqual([
        ['accept', 'kept = 1'],
        ['accept', 'lost = 2'],
        ['edit', 'late = 3']
      ]);
  }
);

test('a history truncated inside a Chinese character: intact records are shown, with a notice', async ({
  page,
  lab,
  open
}) => {
  // P22
  const file = await open(['stay = 1']);
  const cell = new CellUnderTest(page, 0);
  const replay = new ReplayUnderTest(page);
  await lab.model!.script(code('one = 1'), code('二 = 2'), code('three = 3'));
  await cell.ask('第一');
  await cell.accept();
  await cell.ask('第二');
  await cell.accept();
  const id = await lab.notebookId(file);
  const readSession = async () => (await lab.sessions(id))[0];
  await expect.poll(async () => (await readSession()).events?.length).toBe(2);
  const name = path.join(
    lab.root,
    '.aiserver_sessions',
    `${id}_${(await readSession()).meta.cell_id}.json`
  );
  const original = await readFile(name);
  const cut = original.subarray(0, original.indexOf('第二') + 4);
  await writeFile(name, cut);

  await page.reload();
  await new CellUnderTest(page, 0).editor.waitFor();
  await replay.open();
  await cell.focus();
  await expect(replay.panel).toContainText('Recovered from a damaged file');
  await expect(replay.panel).toContainText('第一');
  // Recording continues; the damaged bytes are quarantined.
  await cell.ask('第三');
  await cell.accept();
  // Until the first save the damaged file is still there, which can't be parsed.
  await expect(async () => {
    const turns = (await readSession()).interactions;
    expect(turns.map(turn => turn.user_request.intent)).toEqual([
      '第一',
      '第三'
    ]);
  }).toPass({ timeout: 10_000 });
  expect(await readFile(`${name}.corrupt-1`)).toEqual(cut);
});

test(
  'the cell changes during the answer',
  { tag: '@core' },
  async ({ page, lab, open }) => {
    // P34: the right cell by its id, or none; and it is said.
    await open(['edited = 1', 'up = 1\ndown = 2', 'cut = 1', 'kind = 1']);
    const activate = (index: number, line?: number) =>
      page.evaluate(
        ([i, at]) => {
          const { content } = (window as any).jupyterapp.shell.currentWidget;
          content.activeCellIndex = i;
          content.deselectAll();
          if (at !== undefined) {
            content.activeCell.editor.setCursorPosition({
              line: at,
              column: 0
            });
          }
        },
        [index, line] as const
      );
    const ask = async (cell: CellUnderTest, source: string) => {
      await lab.model!.clear();
      await lab.model!.script({ ...code(source), hold_after: 1 });
      await cell.ask('a wish');
      await lab.model!.sent(1);
    };

    // Edited: the diff is against what it holds now, and that is said.
    const first = new CellUnderTest(page, 0);
    await ask(first, 'edited = 2');
    await setSource(page, 0, 'edited = 1  # mine');
    await lab.model!.release();
    await expect(first.row).toContainText('has changed since you asked');
    await expect(first.proposal).toContainText('# mine');
    await first.accept();
    await first.focus();
    await page.keyboard.press('ControlOrMeta+z');
    expect(await first.source()).toBe('edited = 1  # mine');

    // Split: the id stays with the last piece, and so does the answer.
    await ask(new CellUnderTest(page, 1), 'up = 3');
    await activate(1, 1);
    await execute(page, 'notebook:split-cell-at-cursor');
    await lab.model!.release();
    const last = new CellUnderTest(page, 2);
    await expect(last.row).toContainText('has changed since you asked');
    await last.button('Reject').click();
    expect(await sourcesOf(page)).toEqual([
      'edited = 1  # mine',
      'up = 1',
      'down = 2',
      'cut = 1',
      'kind = 1'
    ]);

    // Merged: there is no such cell any more. Nothing is written; the answer is kept.
    await ask(new CellUnderTest(page, 1), 'gone = 1');
    await activate(1);
    await execute(page, 'notebook:merge-cell-below');
    await lab.model!.release();
    await expect(
      page.getByText('The cell you asked in was deleted')
    ).toBeVisible();
    expect((await sourcesOf(page))[1]).toBe('up = 1\n\ndown = 2');
    await page.getByRole('button', { name: 'Hide notification' }).click();

    // Cut and pasted elsewhere: it is the same cell.
    await ask(new CellUnderTest(page, 2), 'cut = 2');
    await activate(2);
    await execute(page, 'notebook:cut-cell');
    await activate(0);
    await execute(page, 'notebook:paste-cell-below');
    await lab.model!.release();
    const pasted = new CellUnderTest(page, 1);
    await pasted.accept();
    expect((await sourcesOf(page))[1]).toBe('cut = 2');

    // Changed to Markdown and back: it is the same cell.
    await ask(new CellUnderTest(page, 3), 'kind = 2');
    await activate(3);
    await execute(page, 'notebook:change-cell-to-markdown');
    await execute(page, 'notebook:change-cell-to-code');
    await lab.model!.release();
    const changed = new CellUnderTest(page, 3);
    await changed.accept();
    expect((await sourcesOf(page))[3]).toBe('kind = 2');
  }
);

test('the notebook is renamed or closed, and the kernel is busy or restarted', async ({
  page,
  lab,
  open
}) => {
  const file = await open(['import time\ntime.sleep(600)', '']);
  const cell = new CellUnderTest(page, 1);
  const renamed = 'renamed.ipynb';
  await lab.model!.script(
    { ...code('busy = 1'), hold_after: 2 },
    { ...code('restarted = 1'), hold_after: 2 },
    { ...code('closed = 1'), hold_after: 2 }
  );
  // A busy kernel: asking needs none, and the list of DataFrames says that it is busy. JupyterLab
  // drops the run of a cell that begins before the kernel is connected.
  await page.evaluate(async () => {
    const { sessionContext } = (window as any).jupyterapp.shell.currentWidget;
    await sessionContext.ready;
    await sessionContext.session.kernel.info;
  });
  await new CellUnderTest(page, 0).focus();
  await page.keyboard.press('ControlOrMeta+Enter');
  await cell.open();
  await cell.button('More').click();
  await page.getByRole('menuitem', { name: /About a DataFrame/ }).click();
  await expect(cell.row).toContainText(/kernel is busy|still running/i, {
    timeout: 30_000
  });
  await cell.button('Done').click();
  await cell.ask('while it is busy');
  await lab.model!.sent(2);
  await page.evaluate(
    ([from, to]) =>
      (window as any).jupyterapp.serviceManager.contents.rename(from, to),
    [file, renamed] as const
  );
  await lab.model!.release();
  await cell.accept();
  // Restarted mid-stream: nothing of it is the kernel's.
  await cell.ask('while it restarts');
  await lab.model!.sent(2);
  await page.evaluate(() =>
    (
      window as any
    ).jupyterapp.shell.currentWidget.sessionContext.restartKernel()
  );
  await lab.model!.release();
  await cell.accept();
  expect(await cell.source()).toBe('restarted = 1');
  // Closed mid-stream: the model is stopped, and what had come is kept.
  await save(page);
  await cell.ask('while it closes');
  await lab.model!.sent(2);
  await page.evaluate(() =>
    (window as any).jupyterapp.shell.currentWidget.close()
  );
  await expect
    .poll(async () => (await lab.model!.requests()).at(-1)!.outcome)
    .toBe('gone');
  const id = await lab.notebookId(renamed);
  await expect
    .poll(async () =>
      (await lab.sessions(id))[0].interactions.map(
        turn => turn.ai_response.status
      )
    )
    .toEqual(['success', 'success', 'cancelled']);
  await openLab(page, lab, renamed);
  const again = new CellUnderTest(page, 1);
  await again.open();
  await expect(again.row).toContainText('Request 3'); // the one that was left is no version
});

test(
  'two tabs on one cell: the second is informed, and may take over',
  { tag: '@core' },
  async ({ page, context, lab, open }) => {
    // P33
    const file = await open(['shared = 1']);
    const cell = new CellUnderTest(page, 0);
    await lab.model!.script(
      { ...code('mine = 1'), hold_after: 2 },
      code('yours = 2')
    );
    await cell.ask('mine');
    await lab.model!.sent(2);
    const second = await context.newPage();
    await openLab(second, lab, file, 'second');
    const other = new CellUnderTest(second, 0);
    await other.ask('yours');
    await expect(other.row.getByRole('alert')).toContainText('already running');
    await expect(other.input).toHaveValue('yours');
    await other.button('Stop and ask again').click();
    await other.accept();
    expect(await other.source()).toBe('yours = 2');
    await expectInterrupted(cell, 'mine', 'shared = 1', 'another tab');
    expect(await cell.source()).toBe('shared = 1');
    expect(await lab.model!.requests()).toHaveLength(2);
    await second.close();
  }
);
