/**
 * What AI Server adds to the start of JupyterLab:
 *
 *     jlpm build && cd ui-tests && jlpm figures start
 *
 * No test: it prints figures.
 * - The bytes of our JavaScript that are loaded, before compression: with an empty launcher, with a
 *   notebook, and with a prompt row and each sidebar open.
 * - The time until the launcher is shown and all plugins are activated, with us and without, in
 *   turns.
 * - The time from the key to the focused prompt row, the first time and the second.
 */
import { CellUnderTest } from '../fixtures/cells';
import { notebookFile } from '../fixtures/lab';
import { test } from '../fixtures/plain';
import { openLauncher, OurScripts } from '../fixtures/scripts';

const ROUNDS = 7;

const middle = (values: number[]) =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

test('our JavaScript', async ({ page, lab }) => {
  const scripts = new OurScripts(page);
  const print = async (moment: string) => {
    await page.waitForLoadState('networkidle');
    console.log(`${moment}: ${Math.round((await scripts.size()) / 1000)} KB`);
  };
  const run = (id: string, args = {}) =>
    page.evaluate(
      ([id, args]) => (window as any).jupyterapp.commands.execute(id, args),
      [id, args] as const
    );
  await openLauncher(page, lab.url);
  await print('launcher');
  await lab.write('start.ipynb', notebookFile(['x = 1']));
  await page.evaluate(
    () =>
      void (window as any).jupyterapp.commands.execute('docmanager:open', {
        path: 'start.ipynb'
      })
  );
  const cell = new CellUnderTest(page, 0);
  await cell.editor.click();
  await print('notebook');
  for (const time of ['first', 'second']) {
    const took = await page.evaluate(async () => {
      const start = performance.now();
      const { commands } = (window as any).jupyterapp;
      void commands.execute('aiserver:ask-cell');
      const isFocused = () =>
        document.activeElement?.closest('.jp-AIServer-Ask');
      while (!isFocused()) {
        await new Promise(requestAnimationFrame);
      }
      return performance.now() - start;
    });
    console.log(`the ${time} row: ${Math.round(took)} ms`);
    if (time === 'first') {
      await print('prompt row');
    }
    await page.keyboard.press('Escape');
    await cell.row.waitFor({ state: 'detached' });
  }
  for (const view of ['replay', 'data', 'memory']) {
    await run(`aiserver:show-${view}`);
    await page.locator(`#aiserver-${view} > *`).first().waitFor();
    await print(view);
  }
});

test('the start', async ({ page, lab }) => {
  test.setTimeout(600_000);
  const results: Record<'with' | 'without', number[]> = {
    with: [],
    without: []
  };
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Network.setCacheDisabled', { cacheDisabled: true });
  for (let round = 0; round <= ROUNDS; round++) {
    const both = ['with', 'without'] as const;
    for (const which of round % 2 ? both : [...both].reverse()) {
      await lab.write(
        '.jupyter/labconfig/page_config.json',
        which === 'without'
          ? '{"disabledExtensions": {"aiserver": true}}'
          : '{}'
      );
      await page.goto(`${lab.url}/lab/workspaces/${which}?reset`);
      const took = await page.evaluate(async () => {
        const frame = () => new Promise(requestAnimationFrame);
        while (!(window as any).jupyterapp) {
          await frame();
        }
        const app = (window as any).jupyterapp;
        await app.restored;
        await app.allPluginsActivated;
        while (!document.querySelector('.jp-LauncherCard')) {
          await frame();
        }
        await frame();
        return performance.now(); // since the navigation
      });
      if (round) {
        results[which].push(took); // the first round warms the server up
      }
    }
  }
  for (const [which, times] of Object.entries(results)) {
    console.log(
      `${which} us: ${Math.round(middle(times))} ms, of ${times.map(Math.round)}`
    );
  }
});
