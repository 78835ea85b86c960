/**
 * The costs of long notebooks (P37).
 */
import type { Page } from '@playwright/test';

import { ReplayUnderTest } from '../fixtures/cells';
import { counted, counting } from '../fixtures/metrics';
import { expect, openLab, test } from '../fixtures/plain';

const COUNT = 200;
const CELLS = Array.from({ length: COUNT }, (_, i) =>
  i % 10 ? `value_${i} = ${i}\nprint(value_${i})` : ''
);

interface IWeight {
  listeners: number;
  heap: number;
  nodes: number;
}

/** The objects that moving through cells leaves in the page, without those of the first round. */
async function leftBehind(page: Page): Promise<IWeight> {
  const cdp = await counting(page);
  const look = async (): Promise<IWeight> => {
    await page.evaluate(() => new Promise(done => requestIdleCallback(done)));
    await cdp.send('HeapProfiler.collectGarbage');
    const { JSEventListeners, JSHeapUsedSize, Nodes } = await counted(cdp);
    return {
      listeners: JSEventListeners,
      heap: JSHeapUsedSize / 1e6,
      nodes: Nodes
    };
  };
  // What goes by itself is given the time to: that takes a busy machine longer.
  const weigh = async (): Promise<IWeight> => {
    let [last, now] = [await look(), await look()];
    while (now.nodes < last.nodes) {
      [last, now] = [now, await look()];
    }
    return last;
  };
  const walk = () =>
    page.evaluate(async () => {
      const { content } = (window as any).jupyterapp.shell.currentWidget;
      const frame = () => new Promise(requestAnimationFrame);
      for (let i = 100; i < 110; i++) {
        content.activeCellIndex = i;
        // (Its promise is kept only where it has to scroll.)
        void content.scrollToItem(i, 'smart').catch(() => undefined);
        const cell = content.widgets[i];
        // As slowly as a person: what is drawn for a cell is drawn, and what is drawn later too.
        while (!cell.node.querySelector('.jp-cell-toolbar jp-button')) {
          await frame();
        }
        await frame();
        await frame();
      }
    });
  // JupyterLab draws the rest of the notebook whenever the page is idle, and a cell has hundreds
  // of listeners: were that still under way, it would be all that is measured.
  await page.evaluate(async count => {
    const { content } = (window as any).jupyterapp.shell.currentWidget;
    while (
      content.widgets.length < count ||
      content.widgets.some((cell: any) => cell.isPlaceholder())
    ) {
      await new Promise(done => requestIdleCallback(done));
      await content._runOnIdleTime(1000);
    }
  }, COUNT);
  await walk();
  const before = await weigh();
  await walk();
  await walk();
  const after = await weigh();
  return {
    listeners: after.listeners - before.listeners,
    heap: after.heap - before.heap,
    nodes: after.nodes - before.nodes
  };
}

test('in a long notebook the extension leaks nothing', async ({
  page,
  lab,
  open
}) => {
  test.setTimeout(180_000);
  // P37: compared with the same JupyterLab without us, in the same run.
  const file = await open(CELLS);
  await new ReplayUnderTest(page).open();
  const ours = await leftBehind(page);
  await lab.write(
    '.jupyter/labconfig/page_config.json',
    '{"disabledExtensions": {"aiserver": true}}'
  );
  await openLab(page, lab, file, 'without');
  await expect(page.locator('.jp-AIServer-Replay')).toHaveCount(0);
  const bare = await leftBehind(page);
  await lab.write('.jupyter/labconfig/page_config.json', '{}');
  test.info().annotations.push({
    type: 'figures',
    description: JSON.stringify({ ours, bare })
  });
  // JupyterLab itself keeps each cell's toolbar: some 800 listeners for each time somebody comes by.
  expect(ours.listeners).toBeLessThan(bare.listeners + 300);
  expect(ours.nodes).toBeLessThan(bare.nodes + 300);
  expect(ours.heap).toBeLessThan(bare.heap + 2);
});
