/** The plugins of the page can be disabled by their names. */
import type { IJupyterLabPageFixture } from '@jupyterlab/galata';

import { CellUnderTest, ReplayUnderTest } from '../fixtures/cells';
import { expect, openPath, reload, test } from '../fixtures/lab';
import { code } from '../fixtures/scripted';

const CONFIG = '.jupyter/labconfig/page_config.json';
/** The plugins of the main job: ask, accept, replay. */
const MAIN = [
  'aiserver:ask',
  'aiserver:history',
  'aiserver:identity',
  'aiserver:replay'
];

function ourPlugins(page: IJupyterLabPageFixture): Promise<string[]> {
  return page.evaluate(() => {
    const ids: string[] = (window as any).jupyterapp.listPlugins();
    return ids.filter(id => id.startsWith('aiserver:')).sort();
  });
}

test.afterAll(({ lab }) => lab.write(CONFIG, '{}'));

test(
  'the main job needs no other plugin',
  { tag: '@core' },
  async ({ page, lab, openNotebook }) => {
    const file = await openNotebook(['a = 1', '']);
    const others = (await ourPlugins(page)).filter(id => !MAIN.includes(id));
    expect(others.length).toBeGreaterThan(10);
    const disabled = Object.fromEntries(others.map(id => [id, true]));
    await lab.write(CONFIG, JSON.stringify({ disabledExtensions: disabled }));
    await reload(page);
    await openPath(page, file);
    expect(await ourPlugins(page)).toEqual(MAIN);

    const cell = new CellUnderTest(page, 0);
    await lab.model!.script(code('a = 2'), code('a = 3'));
    await cell.ask('twice as much');
    await cell.accept();
    expect(await cell.source()).toBe('a = 2');
    await cell.ask('and one more');
    await cell.accept();
    expect(await cell.source()).toBe('a = 3');

    const replay = new ReplayUnderTest(page);
    await replay.open();
    await expect(replay.steps.last()).toContainText('and one more');
    await expect(replay.steps).toContainText(['twice as much']);
    // The first step is the code before the requests.
    await replay.slider.press('Home');
    await replay.panel
      .getByRole('button', { name: 'Restore this version' })
      .click();
    expect(await cell.source()).toBe('a = 1');
  }
);
