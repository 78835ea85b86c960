/**
 * The costs of the sidebar in a notebook of a thousand cells with ten turns each:
 *
 *     cd ui-tests && jlpm figures sidebar
 *
 * No test: it prints figures.
 * - How soon it shows what is there: from the end of an answer (the browser's own clock of it) to
 *   the frame in which it is drawn: the list of cells, the notebook's timeline, a moment of it.
 * - How smoothly the notebook scrolls beside it, with us, without, and beside JupyterLab's own
 *   debugger, in turns: by the wheel, as frames that the browser shows, and by a script that waits
 *   for a frame after each step.
 */
import type { Page } from '@playwright/test';

import { ReplayUnderTest } from '../fixtures/cells';
import { type Lab, notebookFile } from '../fixtures/lab';
import { expect, openLab, test } from '../fixtures/plain';

const CELLS = 1000;
const TURNS = 10;
const NOTEBOOK = '6f1c0f0e-9a0b-4a7e-8d52-0c9f3f1f0a11';

function session(cellId: string): string {
  const stamp = (turn: number) =>
    new Date(Date.UTC(2026, 0, 27, 10, 0) + turn * 60_000).toISOString();
  return JSON.stringify({
    meta: {
      version: '1.0',
      notebook_id: NOTEBOOK,
      cell_id: cellId,
      created_at: stamp(1),
      last_updated: stamp(TURNS),
      revision: TURNS
    },
    interactions: Array.from({ length: TURNS }, (_, turn) => ({
      turn_id: turn + 1,
      seq: turn + 1,
      timestamp: stamp(turn),
      user_request: {
        intent: `wish ${turn + 1} for ${cellId}, 写得短一点`,
        current_code: turn ? codeOf(cellId, turn - 1) : '',
        language: 'python'
      },
      ai_response: {
        suggestion: codeOf(cellId, turn),
        explanation: 'It is shorter now.',
        status: 'success',
        error: null
      }
    }))
  });
}

const codeOf = (cellId: string, turn: number) =>
  Array.from(
    { length: 6 },
    (_, line) => `value_${line} = compute("${cellId}", ${line}, step=${turn})`
  ).join('\n');

/** Milliseconds from the end of the newest answer of this kind to the frame that shows it. */
async function sinceAnswer(
  page: Page,
  answer: string,
  selector: string,
  act: () => Promise<void>
): Promise<number> {
  const drawn = page.evaluate(
    ([answer, selector]) =>
      new Promise<number>(resolve => {
        performance.clearResourceTimings();
        const look = () => {
          const [entry] = performance
            .getEntriesByType('resource')
            .filter(({ name }) => new RegExp(answer).test(name))
            .slice(-1) as PerformanceResourceTiming[];
          if (entry && document.querySelector(selector)) {
            // The next frame is the one in which it can be seen.
            requestAnimationFrame(() =>
              resolve(performance.now() - entry.responseEnd)
            );
          } else {
            requestAnimationFrame(look);
          }
        };
        look();
      }),
    [answer, selector]
  );
  await act();
  return drawn;
}

test('a thousand cells of ten turns', async ({ page, lab }) => {
  test.setTimeout(600_000);
  await writeBig(lab);
  await openLab(page, lab, 'big.ipynb');
  const replay = new ReplayUnderTest(page);
  await replay.open();
  const figures: Record<string, number> = {};
  figures['the list of cells'] = await sinceAnswer(
    page,
    '/aiserver/sessions\\?',
    '.jp-AIServer-Replay-overview .jp-AIServer-Replay-intent',
    () => replay.tab('Notebook').click()
  );
  await expect(replay.slider).toBeVisible({ timeout: 120_000 });
  // Once more, with all of it known to the server.
  await replay.tab('Cell').click();
  figures['a moment'] = 0;
  await replay.tab('Notebook').click();
  await expect(replay.slider).toBeVisible();
  figures['a moment'] = await sinceAnswer(
    page,
    '/moments/',
    '.jp-AIServer-Replay-snapshot code',
    () => replay.slider.press('ArrowLeft')
  );
  await page.reload();
  await replay.open();
  await expect(replay.tab('Notebook')).toBeVisible();
  figures['the line of work, after a reload'] = await sinceAnswer(
    page,
    '/timeline',
    '.jp-AIServer-Replay-heat b',
    () => replay.tab('Notebook').click()
  );
  for (const [name, ms] of Object.entries(figures)) {
    console.log(`${name}: ${Math.round(ms)} ms`);
  }
});

/** The notebook and its histories, and whether we are there to show them. */
async function openBig(
  page: Page,
  lab: Lab,
  which: 'ours' | 'bare',
  isDrawn = true
): Promise<void> {
  await lab.write(
    '.jupyter/labconfig/page_config.json',
    which === 'bare' ? '{"disabledExtensions": {"aiserver": true}}' : '{}'
  );
  await openLab(page, lab, 'big.ipynb', which);
  if (which === 'ours') {
    const replay = new ReplayUnderTest(page);
    await replay.open();
    await replay.tab('Notebook').click();
    await expect(replay.slider).toBeVisible({ timeout: 120_000 });
  }
  if (isDrawn) {
    // Whatever JupyterLab draws when the page is idle is drawn.
    await page.evaluate(async () => {
      const { content } = (window as any).jupyterapp.shell.currentWidget;
      while (content.widgets.some((cell: any) => cell.isPlaceholder())) {
        await content._runOnIdleTime(1000);
      }
    });
  }
}

async function writeBig(lab: Lab): Promise<void> {
  const ids = Array.from(
    { length: CELLS },
    (_, index) => `ce11-${String(index + 1).padStart(4, '0')}`
  );
  for (const id of ids) {
    await lab.write(`.aiserver_sessions/${NOTEBOOK}_${id}.json`, session(id));
  }
  const sources = ids.map(id => codeOf(id, TURNS - 1));
  const metadata = { aiserver: { notebook_id: NOTEBOOK } };
  await lab.write('big.ipynb', notebookFile(sources, metadata));
}

/** Frames a second that are shown while the browser scrolls as by a wheel, in pixels a second. */
async function framesOfWheel(page: Page, speed: number): Promise<number> {
  const cdp = await page.context().newCDPSession(page);
  const outer = page.locator('.jp-WindowedPanel-outer').first();
  await outer.evaluate(node => (node.scrollTop = 0));
  const box = (await outer.boundingBox())!;
  let frames = 0;
  cdp.on('Tracing.dataCollected', ({ value }) => {
    frames += value.filter(
      event => event.name === 'Display::DrawAndSwap' && event.ph === 'X'
    ).length;
  });
  await cdp.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: ['viz'] }
  });
  const begin = Date.now();
  await cdp.send('Input.synthesizeScrollGesture', {
    x: Math.round(box.x + box.width / 2),
    y: Math.round(box.y + box.height / 2),
    yDistance: -speed * WHEEL_SECONDS,
    speed,
    preventFling: true,
    gestureSourceType: 'mouse'
  });
  const seconds = (Date.now() - begin) / 1000;
  const complete = new Promise(resolve =>
    cdp.once('Tracing.tracingComplete', resolve)
  );
  await cdp.send('Tracing.end');
  await complete;
  await cdp.detach();
  return frames / seconds;
}

const WHEEL_SECONDS = 5;

/** Frames a second while a script scrolls on after each. */
async function framesOfScript(page: Page, pixels: number): Promise<number> {
  return page.evaluate(async pixels => {
    const outer: HTMLElement = (window as any).jupyterapp.shell.currentWidget
      .content.outerNode;
    outer.scrollTop = 0;
    const frame = () => new Promise<number>(requestAnimationFrame);
    await frame();
    const begin = await frame();
    let end = begin;
    for (let i = 0; i < 150; i++) {
      outer.scrollTop += pixels;
      end = await frame();
    }
    return (150 * 1000) / (end - begin);
  }, pixels);
}

async function sayFrames(page: Page, what: string): Promise<void> {
  const figures = [
    await framesOfWheel(page, 400),
    await framesOfWheel(page, 1600),
    await framesOfScript(page, 20)
  ].map(perSecond => perSecond.toFixed(1));
  console.log(
    `${what}: the wheel at 400 pixels/s ${figures[0]}, at 1,600 ${figures[1]}, ` +
      `a script ${figures[2]} frames/s`
  );
}

for (const [mode, width, height] of [
  ['contentVisibility', 1360, 800],
  ['full', 800, 450]
] as const) {
  test(`scrolling beside the sidebar, ${mode}`, async ({ page, lab }) => {
    test.setTimeout(900_000);
    await writeBig(lab);
    await setWindowing(lab, mode);
    for (const which of ['bare', 'ours', 'ours', 'bare'] as const) {
      await page.setViewportSize({ width: 1360, height: 800 });
      await openBig(page, lab, which, mode !== 'full');
      await page.setViewportSize({ width, height });
      const at = `${width}×${height}, ${mode}, ${which}`;
      await sayFrames(page, at);
      if (which === 'bare') {
        await page.evaluate(() =>
          (window as any).jupyterapp.shell.activateById('jp-debugger-sidebar')
        );
        await sayFrames(page, `${at}, with the debugger's panel`);
      }
    }
  });
}

/** Set whether JupyterLab draws all cells when idle, or only the visible ones. */
async function setWindowing(
  lab: Lab,
  mode: 'contentVisibility' | 'full'
): Promise<void> {
  const tracker = '@jupyterlab/notebook-extension:tracker';
  await fetch(`${lab.url}/lab/api/settings/${tracker}`, {
    method: 'PUT',
    body: JSON.stringify({ raw: JSON.stringify({ windowingMode: mode }) })
  });
}
