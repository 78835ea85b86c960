/**
 * The notebook as it was at any moment is the notebook as it was: held against the files that
 * real JupyterLab saved, by nbdime.
 */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { promisify } from 'node:util';

import { CellUnderTest } from '../fixtures/cells';
import { Worker, numbers } from '../fixtures/deeds';
import { expect, type Lab, reload, openPath, test } from '../fixtures/lab';
import { code } from '../fixtures/scripted';

const REPOSITORY = path.resolve(__dirname, '..', '..');
const DEEDS = Number(process.env.AISERVER_DEEDS ?? 40);
const SEED = Number(process.env.AISERVER_SEED ?? 5);

// All cells are in view.
test.use({ viewport: { width: 1100, height: 2600 } });

/** The number of saves in the notebook's log. */
async function saves(lab: Lab, notebookId: string): Promise<number> {
  const log = await lab.read(
    `.aiserver_sessions/notebooks/${notebookId}.jsonl`
  );
  return log.split('\n').filter(line => /"saved": ?true/.test(line)).length;
}

test('each of many saves can be reproduced, whatever was done (P28)', async ({
  page,
  lab,
  openNotebook
}, info) => {
  test.setTimeout(600_000);
  const folder = await mkdtemp(path.join(tmpdir(), 'aiserver-asof-'));
  await mkdir(path.join(folder, 'saves'));
  const file = await openNotebook([
    'a = 1\nb = 2',
    '',
    'md:# 计划\n\n- read\n- plot',
    'print("你好")'
  ]);
  const worker = new Worker(page, lab.model!, numbers(SEED));
  await lab.model!.script(code('c = 3\n'));
  const second = new CellUnderTest(page, 1);
  await second.ask('three');
  await second.accept();
  const id = await lab.notebookId(file);
  await worker.execute('docmanager:save');
  let saveCount = 0;
  await expect
    .poll(async () => (saveCount = await saves(lab, id).catch(() => 0)))
    .toBeGreaterThan(0);

  const done: string[] = [];
  for (let count = 0; count < DEEDS; count++) {
    const { name, isNews } = await worker.act();
    done.push(name);
    await worker.execute('docmanager:save');
    const where = `after ${done.slice(-4).join(', ')}`;
    if (isNews) {
      await expect.poll(() => saves(lab, id), where).toBe(++saveCount);
    }
    const saved = await lab.read(file);
    expect(JSON.parse(saved).cells, where).toMatchObject(
      (await worker.rows()).map(([cellId, type]) => ({
        id: cellId,
        cell_type: type
      }))
    );
    const number = String(saveCount).padStart(3, '0');
    await writeFile(
      path.join(folder, 'saves', `${number}-${count}-${name}.ipynb`),
      saved
    );
    if (count === Math.floor(DEEDS / 2)) {
      // The page begins to record changes once it has the list of sessions.
      const listed = page.waitForResponse(/\/aiserver\/sessions\?/);
      await reload(page);
      await openPath(page, file);
      await listed;
    }
  }
  expect(await saves(lab, id)).toBe(saveCount);

  const ask = async (what: string) => {
    const url = `${lab.url}/aiserver/notebooks/${id}/${what}`;
    return (await page.request.get(url)).json();
  };
  const { moments } = await ask('timeline');
  const answers = [];
  for (let index = 0; index < moments.length; index++) {
    answers.push(await ask(`moments/${index}`));
  }
  await writeFile(path.join(folder, 'moments.json'), JSON.stringify(answers));
  const result = await promisify(execFile)(
    'python',
    ['-m', 'tests.replay.compare_saves', folder, lab.root, id],
    { cwd: REPOSITORY, maxBuffer: 1e8 }
  ).catch(error => error as { stdout: string; stderr: string; code: number });
  await info.attach('deeds', { body: done.join('\n') });
  expect(
    result,
    `${result.stdout}${result.stderr}\n${done}`
  ).not.toHaveProperty('code');
  console.log(result.stdout.trim());
  await rm(folder, { recursive: true });
});
