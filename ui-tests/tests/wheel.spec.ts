/**
 * The wheel, as pip puts it into a fresh environment that has the oldest JupyterLab we promise and
 * no Node (`make .make/wheel`): nothing else is needed.
 */
import * as path from 'node:path';

import { CellUnderTest, ReplayUnderTest } from '../fixtures/cells';
import { environmentOf, expect, problemsOfOurs, test } from '../fixtures/place';
import { code } from '../fixtures/scripted';

test.use({
  placeOptions: {
    environment: 'wheel',
    // Nothing of this computer: no Node, and no extension or setting of the person's own.
    env: {
      PATH: path.join(environmentOf('wheel'), 'bin'),
      JUPYTER_DATA_DIR: path.join(environmentOf('wheel'), 'no-data'),
      JUPYTER_PATH: '',
      JUPYTER_CONFIG_PATH: ''
    }
  }
});

test('the wheel works in JupyterLab 4.5 without Node', async ({
  page,
  place
}) => {
  const problems = problemsOfOurs(page);
  await place.openNew(page, ['']);
  const version = await page.evaluate(() => (window as any).jupyterapp.version);
  expect(version).toMatch(/^4\.5\./);
  const cell = new CellUnderTest(page, 0);
  await place.model.script(
    code("import shutil\nprint('node:', shutil.which('node'))")
  );
  await cell.ask('is there a Node?');
  await cell.accept(60_000); // LangChain is loaded first, from a cold disk
  await cell.run();
  await expect(cell.output).toContainText('node: None');
  const replay = new ReplayUnderTest(page);
  await replay.open();
  await expect(replay.panel).toContainText('is there a Node?');
  const [session] = await place.allSessions();
  expect(session.interactions).toHaveLength(1);
  expect(problems()).toEqual([]);
});
