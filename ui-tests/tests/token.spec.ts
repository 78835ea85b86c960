/**
 * A server as people run it: token and XSRF on, under a prefix. (Galata turns both off, so this
 * is plain Playwright.)
 */
import { expect, test } from '@playwright/test';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';

import { CellUnderTest } from '../fixtures/cells';
import { notebookFile } from '../fixtures/lab';
import { freePort, Process } from '../fixtures/process';
import { code, ScriptedModel } from '../fixtures/scripted';

test('asking works behind a token, XSRF and a prefix', async ({ page }) => {
  // P3 and P4: the token is in no URL that is asked for after the login.
  const root = await mkdtemp(path.join(tmpdir(), 'aiserver-token-'));
  await mkdir(path.join(root, '.aiserver_sessions'), { mode: 0o700 });
  await writeFile(path.join(root, 'cells.ipynb'), notebookFile(['']));
  const model = await ScriptedModel.start();
  const port = await freePort();
  const token = 'a-token-of-the-test';
  const { process: server } = await Process.start(
    'jupyter',
    [
      'lab',
      '--no-browser',
      '--allow-root',
      `--ServerApp.root_dir=${root}`,
      '--ServerApp.ip=127.0.0.1',
      `--ServerApp.port=${port}`,
      '--ServerApp.base_url=/user/someone/',
      `--IdentityProvider.token=${token}`,
      '--LabApp.expose_app_in_browser=True',
      '--AIServer.model=openai:scripted',
      `--ModelRegistry.model_options={"base_url": "${model.url}/v1", "api_key": "of-the-test"}`
    ],
    /Jupyter Server .* is running at/,
    { cwd: root, env: { JUPYTER_CONFIG_DIR: path.join(root, '.jupyter') } }
  );
  try {
    const urls: string[] = [];
    page.on('request', request => urls.push(request.url()));
    const base = `http://127.0.0.1:${port}/user/someone`;
    await page.goto(`${base}/lab/tree/cells.ipynb?token=${token}`);
    const cell = new CellUnderTest(page, 0);
    await cell.editor.waitFor({ timeout: 60_000 });
    urls.length = 0;
    await model.script(code('prefix = True'));
    await cell.ask('under a prefix');
    await cell.accept();
    expect(await cell.source()).toBe('prefix = True');
    const ours = urls.filter(url => url.includes('/aiserver/'));
    expect(ours.some(url => url.startsWith(`${base}/aiserver/generate`))).toBe(
      true
    );
    expect(urls.filter(url => url.includes(token))).toEqual([]);
    expect(
      server.output.filter(
        line => /aiserver/.test(line) && line.includes(token)
      )
    ).toEqual([]);

    // The same request without the XSRF header is refused.
    const bare = await page.evaluate(
      async url => (await fetch(url, { method: 'POST', body: '{}' })).status,
      `${base}/aiserver/generate`
    );
    expect(bare).toBe(403);
  } finally {
    await server.stop();
    await model.stop();
    await rm(root, { recursive: true, force: true });
  }
});
