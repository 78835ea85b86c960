/**
 * JupyterHub with one database for all: PostgreSQL, as we recommend it.
 */
import { CellUnderTest, ReplayUnderTest } from '../fixtures/cells';
import { notebookFile } from '../fixtures/folder';
import { expect, test } from '../fixtures/hub';
import { MemoryUnderTest } from '../fixtures/memory';
import { code } from '../fixtures/scripted';
import { execute } from '../fixtures/shell';

const ANNA = 'anna';
const MING = '小明';

test.use({ people: [ANNA, MING], store: 'postgresql' });
test.setTimeout(240_000);

test('histories in one database: separate, durable, and nothing lost while it is down', async ({
  browser,
  hub
}) => {
  // P9, P20, P28
  const cloned = notebookFile(['x = 0'], {
    aiserver: { notebook_id: 'cloned-by-both' }
  });
  await hub.folderOf(ANNA).write('cloned.ipynb', cloned);
  await hub.folderOf(MING).write('cloned.ipynb', cloned);
  const anna = await hub.logIn(browser, ANNA);
  const ming = await hub.logIn(browser, MING);
  const [hers, his] = [new CellUnderTest(anna, 0), new CellUnderTest(ming, 0)];

  await test.step('each sees their own history of the notebook that both have cloned', async () => {
    await hub.open(anna, ANNA, 'cloned.ipynb');
    await hub.open(ming, MING, 'cloned.ipynb');
    await hub.model.script(code('x = 1'), code('x = 2'));
    await hers.ask('the wish of Anna');
    await hers.accept(60_000);
    await his.ask('小明的愿望');
    await his.accept(60_000);
    const replay = new ReplayUnderTest(ming);
    await replay.open();
    await expect(replay.panel).toContainText('小明的愿望');
    await expect(replay.panel).not.toContainText('Anna');
    for (const name of [ANNA, MING]) {
      expect(await hub.folderOf(name).allSessions()).toEqual([]);
    }
  });

  await test.step('what one remembers is in the database, and in the prompts of nobody else', async () => {
    const memory = new MemoryUnderTest(anna);
    await hers.ask('remember that Anna sorts by orchid');
    const question = memory.questionIn(hers.row);
    await question.getByRole('button', { name: 'Remember for me' }).click();
    await expect(hers.row).toContainText('Remembered for you');
    await memory.open();
    await expect(memory.row('orchid')).toBeVisible();
    const his = new MemoryUnderTest(ming);
    await his.open();
    await expect(his.panel).toContainText('Nothing is remembered yet');

    const before = (await hub.model.requests()).length;
    await hub.model.script(code('x = 3'), code('x = 4'));
    await hers.ask('Anna remembers');
    await hers.accept();
    const cell = new CellUnderTest(ming, 0);
    await cell.ask('小明不记得');
    await cell.accept();
    const sent = (await hub.model.requests()).slice(before);
    expect(
      sent.map(({ body }) => JSON.stringify(body).includes('orchid'))
    ).toEqual([true, false]);
    for (const name of [ANNA, MING]) {
      await expect(
        hub.folderOf(name).read('.aiserver_memory/MEMORY.md')
      ).rejects.toThrow();
    }
  });

  await test.step('an answer that arrives while the database is down can still be used', async () => {
    await hub.model.script({ ...code('x = 11'), hold_after: 2 });
    await hers.ask('Anna again');
    await expect
      .poll(async () => (await hub.model.requests()).at(-1)?.sent)
      .toBe(2);
    await hub.database!.crash();
    await hub.model.release();
    await expect(hers.row).toContainText(
      'Can’t connect to the history database, so this answer was not saved.',
      { timeout: 60_000 }
    );
    await hers.accept();
    expect(await hers.source()).toBe('x = 11');
    await hub.database!.comeBack();
    await hub.model.script(code('x = 111'));
    await hers.ask('Anna once more');
    await hers.accept(60_000);
  });

  await test.step('everything is stored after the person’s server has been stopped', async () => {
    await execute(anna, 'docmanager:save');
    await hub.stopServer(anna);
    await hub.open(anna, ANNA, 'cloned.ipynb');
    const replay = new ReplayUnderTest(anna);
    await replay.open();
    await expect(replay.panel).toContainText('the wish of Anna');
    await expect(replay.panel).toContainText('Anna once more');
    await expect(replay.panel).not.toContainText('小明');
    const memory = new MemoryUnderTest(anna);
    await memory.open();
    await expect(memory.row('orchid')).toBeVisible();
  });

  expect(hub.log).not.toContain(new URL(hub.database!.url).password);
});
