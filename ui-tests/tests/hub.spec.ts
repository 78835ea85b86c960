/**
 * JupyterHub: many people, each with a server of their own.
 */
import { CellUnderTest, ReplayUnderTest } from '../fixtures/cells';
import { notebookFile } from '../fixtures/folder';
import { expect, test } from '../fixtures/hub';
import { code } from '../fixtures/scripted';

const ANNA = 'anna';
const MING = '小明';

test.use({ people: [ANNA, MING] });
test.setTimeout(180_000);

test('two people at once: their histories never meet, and neither reaches the other’s', async ({
  browser,
  hub
}) => {
  // P9, P8
  // Both have cloned one notebook, and both open one in a folder that they share.
  const cloned = notebookFile(['x = 0'], {
    aiserver: { notebook_id: 'cloned-by-both' }
  });
  await hub.folderOf(ANNA).write('cloned.ipynb', cloned);
  await hub.folderOf(MING).write('cloned.ipynb', cloned);
  await hub.shared.write('ours.ipynb', notebookFile(['y = 0']));
  const anna = await hub.logIn(browser, ANNA);
  const ming = await hub.logIn(browser, MING);
  await Promise.all([
    hub.open(anna, ANNA, 'cloned.ipynb'),
    hub.open(ming, MING, 'cloned.ipynb')
  ]);

  await test.step('in clones of one notebook, at the same time', async () => {
    const [hers, his] = [
      new CellUnderTest(anna, 0),
      new CellUnderTest(ming, 0)
    ];
    await hub.model.script({ ...code('x = 1'), hold_after: 2 });
    await hers.ask('the wish of Anna');
    await expect
      .poll(async () => (await hub.model.requests())[0]?.sent)
      .toBe(2);
    await hub.model.script(code('x = 2'));
    await his.ask('小明的愿望');
    await his.accept();
    await hub.model.release();
    await hers.accept();
    expect(await hers.source()).toBe('x = 1');
    expect(await his.source()).toBe('x = 2');
    await hub.model.script(code('x = 11'), code('x = 22'));
    await hers.ask('Anna again');
    await hers.accept();
    await his.ask('小明再来');
    await his.accept();
    const told = (await hub.model.requests()).map(({ body }) =>
      body.messages.map(({ content }) => content).join('\n')
    );
    expect(told[2]).toContain('the wish of Anna');
    expect(told[2]).not.toContain('小明');
    expect(told[3]).toContain('小明的愿望');
    expect(told[3]).not.toContain('Anna');
    const replay = new ReplayUnderTest(anna);
    await replay.open();
    await expect(replay.panel).toContainText('Anna again');
    await expect(replay.panel).not.toContainText('小明');
  });

  await test.step('nobody gets in at the other’s server', async () => {
    const asked = (await hub.model.requests()).length;
    const theirs = hub.urlOf(ANNA);
    const cookies = await ming.context().cookies();
    const xsrf = cookies.find(({ name }) => name === '_xsrf')?.value ?? '';
    const headers = { 'X-XSRFToken': xsrf };
    const data = {
      notebookId: 'cloned-by-both',
      cellId: 'cell-1',
      intent: 'x'
    };
    for (const answer of [
      await ming.request.get(`${theirs}/aiserver/sessions?notebookId=x`),
      await ming.request.get(
        `${theirs}/aiserver/sessions/cloned-by-both/cell-1`
      ),
      await ming.request.post(`${theirs}/aiserver/generate`, { data, headers }),
      await ming.request.delete(`${theirs}/aiserver/generate/any`, { headers })
    ]) {
      expect(answer.status()).toBe(403);
      expect(await answer.text()).not.toContain('the wish of Anna');
    }
    expect(await hub.model.requests()).toHaveLength(asked);
  });

  await test.step('in a folder that both see, each keeps their own', async () => {
    const [hers, his] = [
      new CellUnderTest(anna, 0),
      new CellUnderTest(ming, 0)
    ];
    await hub.open(anna, ANNA, 'shared/ours.ipynb');
    await hub.model.script(code('y = 1'), code('y = 2'));
    await hers.ask('Anna in the shared folder');
    await hers.accept();
    await anna.evaluate(() =>
      (window as any).jupyterapp.commands.execute('docmanager:save')
    );
    const id = await hub.shared.notebookId('ours.ipynb');
    await hub.open(ming, MING, 'shared/ours.ipynb');
    await his.ask('小明也来');
    await his.accept();
    const intents = async (name: string) =>
      (await hub.folderOf(name).sessions(id)).flatMap(({ interactions }) =>
        interactions.map(turn => turn.user_request.intent)
      );
    expect(await intents(ANNA)).toEqual(['Anna in the shared folder']);
    expect(await intents(MING)).toEqual(['小明也来']);
  });

  await test.step('the token of a server is in no log and no history', async () => {
    const cell = new CellUnderTest(anna, 0);
    await hub.model.script(
      code("import os\nprint(os.environ['JUPYTERHUB_API_TOKEN'])")
    );
    await cell.ask('show the token');
    await cell.accept();
    await cell.run();
    const token = (await cell.output.first().innerText()).trim();
    expect(token.length).toBeGreaterThan(20);
    expect(hub.log).toContain('aiserver');
    expect(hub.log.includes(token)).toBe(false);
    const kept = JSON.stringify(await hub.folderOf(ANNA).allSessions());
    expect(kept).toContain('show the token');
    expect(kept.includes(token)).toBe(false);
  });
});
