/**
 * JupyterHub: many people, each with a server of their own.
 */
import type { Page } from '@playwright/test';

import { CellUnderTest, ReplayUnderTest } from '../fixtures/cells';
import { notebookFile } from '../fixtures/folder';
import { expect, test } from '../fixtures/hub';
import { code } from '../fixtures/scripted';
import { execute } from '../fixtures/shell';

const ANNA = 'anna';
const MING = '小明';

const GUEST = 'guest'; // whom Anna lets in: jupyterhub_config.py

test.use({ people: [ANNA, MING] });
test.setTimeout(240_000);

interface IAnswer {
  status: number;
  code?: string;
  generationId?: string;
}

/** Call the API of Anna's server from somebody's page, which is open there. */
function call(
  page: Page,
  url: string,
  method = 'GET',
  body?: object
): Promise<IAnswer> {
  return page.evaluate(
    async ([to, how, what]) => {
      const xsrf = /_xsrf=([^;]*)/.exec(document.cookie)?.[1] ?? '';
      const answer = await fetch(to, {
        method: how,
        headers: { 'X-XSRFToken': decodeURIComponent(xsrf) },
        body: what
      });
      const body = await answer.json().catch(() => ({}));
      const { code, generationId } = body;
      return { status: answer.status, code, generationId };
    },
    [url, method, body && JSON.stringify(body)] as const
  );
}

/** Read, ask, stop and delete at Anna's server; the status of each, and the code of a refusal. */
async function tryAll(
  page: Page,
  api: string,
  running: string
): Promise<string[]> {
  const answers = [
    await call(page, `${api}/sessions/cloned-by-both/ce11-0001`),
    await call(page, `${api}/generate`, 'POST', wish('ce11-0002')),
    await call(page, `${api}/generate/${running}`, 'DELETE'),
    await call(page, `${api}/sessions/cloned-by-both/ce11-0001`, 'DELETE')
  ];
  return answers.map(({ status, code }) => `${status} ${code ?? ''}`.trim());
}

function wish(cellId: string): object {
  return { notebookId: 'cloned-by-both', cellId, intent: 'mine' };
}

test('two people at once: their histories are separate, and neither can read the other’s', async ({
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
    await his.accept(60_000); // his server answers for the first time
    await hub.model.release();
    await hers.accept();
    expect(await hers.source()).toBe('x = 1');
    expect(await his.source()).toBe('x = 2');
    await hub.model.script(code('x = 11'), code('x = 22'));
    await hers.ask('Anna again');
    await hers.accept();
    await his.ask('小明再来');
    await his.accept();
    const prompts = (await hub.model.requests()).map(({ body }) =>
      body.messages.map(({ content }) => content).join('\n')
    );
    expect(prompts[2]).toContain('the wish of Anna');
    expect(prompts[2]).not.toContain('小明');
    expect(prompts[3]).toContain('小明的愿望');
    expect(prompts[3]).not.toContain('Anna');
    const replay = new ReplayUnderTest(anna);
    await replay.open();
    await expect(replay.panel).toContainText('Anna again');
    await expect(replay.panel).not.toContainText('小明');
  });

  await test.step('nobody else gets in at her server, and a guest can only read', async () => {
    const api = `${hub.urlOf(ANNA)}/aiserver`;
    const hers = new CellUnderTest(anna, 0);
    const before = (await hub.model.requests()).length;
    await hub.model.script({ ...code('x = 111'), hold_after: 2 });
    await hers.ask('not to be stopped');
    await expect
      .poll(async () => (await hub.model.requests())[before]?.sent)
      .toBe(2);
    const again = await call(
      anna,
      `${api}/generate`,
      'POST',
      wish('ce11-0001')
    );
    expect(again.status).toBe(409);
    const running = again.generationId!;

    const visitor = await ming.context().newPage();
    const visit = await visitor.goto(`${hub.urlOf(ANNA)}/lab`);
    expect(visit?.status()).toBe(403);
    for (const answer of await tryAll(visitor, api, running)) {
      expect(answer).toMatch(/^403/);
    }
    await visitor.close();

    const guest = await hub.logIn(browser, GUEST);
    await guest.goto(`${hub.urlOf(ANNA)}/lab`);
    await guest.getByRole('button', { name: 'Authorize' }).click();
    await guest.waitForURL(`${hub.urlOf(ANNA)}/lab**`);
    expect(await tryAll(guest, api, running)).toEqual([
      '200',
      '403 not_owner',
      '403 not_yours',
      '403 not_owner'
    ]);
    await guest.context().close();

    await hub.model.release();
    await hers.accept();
    expect(await hers.source()).toBe('x = 111');
    expect(await hub.model.requests()).toHaveLength(before + 1);
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
    await execute(anna, 'docmanager:save');
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
    // It stands in an output now: the next cell, which is asked with the one above it, must
    // neither send nor keep it.
    await execute(anna, 'notebook:insert-cell-below');
    const next = new CellUnderTest(anna, 1);
    await hub.model.script(code('y = 3'));
    await next.ask('something else after it');
    await next.accept();
    const requests = await hub.model.requests();
    const last = JSON.stringify(requests.at(-1)?.body);
    expect(last).toContain('something else after it');
    expect(last).toContain('JUPYTERHUB_API_TOKEN'); // the cell above
    const sent = JSON.stringify(requests);
    expect(sent.includes(token)).toBe(false);
    expect(hub.log).toContain('aiserver');
    expect(hub.log.includes(token)).toBe(false);
    const stored = JSON.stringify(await hub.folderOf(ANNA).allSessions());
    expect(stored).toContain('something else after it');
    expect(stored.includes(token)).toBe(false);
  });
});
