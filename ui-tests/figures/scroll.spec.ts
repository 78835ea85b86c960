/**
 * The smoothness of scrolling a notebook of a thousand cells, with AI Server and without:
 *
 *     cd ui-tests && jlpm figures scroll
 *
 * No test: it prints figures. In each of JupyterLab's windowing modes the notebook is scrolled by
 * hand-sized steps, one a frame; what the browser's main thread does for them is counted by the
 * browser itself. With us and without take turns, so that whatever else the machine does hits both.
 */
import type { Page } from '@playwright/test';

import { CellUnderTest } from '../fixtures/cells';
import { notebookFile } from '../fixtures/lab';
import { counted, counting } from '../fixtures/metrics';
import { expect, openLab, test } from '../fixtures/plain';
import { code } from '../fixtures/scripted';

const COUNT = 1000;
const REMEMBERED = 200; // cells with a history
const STEP = 120; // pixels: one notch of a wheel
const STEPS = 150;
const ROUNDS = 3;
const MODES = ['defer', 'full', 'contentVisibility', 'none'];

interface IScroll {
  /** Milliseconds of work of the main thread for one step, all told. */
  work: number;
  /** The frame that took longest, in milliseconds. */
  worst: number;
  /** Frames of more than 50 ms. */
  long: number;
}

async function scroll(page: Page): Promise<IScroll> {
  const cdp = await counting(page);
  const busy = async () => (await counted(cdp)).TaskDuration * 1000;
  const before = await busy();
  const frames = await page.evaluate(
    async ({ step, steps }) => {
      const outer: HTMLElement = (window as any).jupyterapp.shell.currentWidget
        .content.outerNode;
      const frame = () => new Promise<number>(requestAnimationFrame);
      outer.scrollTop = 0;
      let last = await frame();
      const took: number[] = [];
      for (let i = 0; i < steps; i++) {
        outer.scrollTop += step;
        const now = await frame();
        took.push(now - last);
        last = now;
      }
      return took;
    },
    { step: STEP, steps: STEPS }
  );
  const work = (await busy()) - before;
  return {
    work: work / STEPS,
    worst: Math.max(...frames),
    long: frames.filter(took => took > 50).length
  };
}

const middle = (values: number[]) =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

test('scrolling through a thousand cells', async ({ page, lab }) => {
  test.setTimeout(1_200_000);
  const sources = Array.from(
    { length: COUNT },
    (_, i) => `value_${i} = ${i}\nprint(value_${i})`
  );
  await lab.write('long.ipynb', notebookFile(sources));
  await openLab(page, lab, 'long.ipynb');
  const first = new CellUnderTest(page, 0);
  await lab.model!.script(code('value = 0'));
  await first.ask('number 0'); // the notebook gets its id
  await first.accept();
  const id = await lab.notebookId('long.ipynb');
  for (let i = 1; i <= REMEMBERED; i++) {
    await lab.model!.script(code(`value = ${i}`));
    const answer = await page.request.post(`${lab.url}/aiserver/generate`, {
      data: {
        notebookId: id,
        cellId: `ce11-${String(i).padStart(4, '0')}`,
        intent: `number ${i}`
      },
      headers: { Accept: 'application/json' }
    });
    expect(answer.ok()).toBe(true);
  }
  const result: Record<string, unknown> = {};
  for (const mode of MODES) {
    await fetch(
      `${lab.url}/lab/api/settings/@jupyterlab/notebook-extension:tracker`,
      {
        method: 'PUT',
        body: JSON.stringify({ raw: JSON.stringify({ windowingMode: mode }) })
      }
    );
    const results: Record<'ours' | 'bare', IScroll[]> = { ours: [], bare: [] };
    for (let round = 0; round < ROUNDS; round++) {
      const both = ['ours', 'bare'] as const;
      for (const which of round % 2 ? both : [...both].reverse()) {
        await lab.write(
          '.jupyter/labconfig/page_config.json',
          which === 'bare' ? '{"disabledExtensions": {"aiserver": true}}' : '{}'
        );
        await openLab(page, lab, 'long.ipynb', `${which}-${mode}`);
        await scroll(page); // cells are drawn for the first time
        results[which].push(await scroll(page));
      }
    }
    const figures = (key: keyof IScroll) => {
      const [ours, bare] = [results.ours, results.bare].map(list =>
        middle(list.map(item => item[key]))
      );
      return {
        ours: +ours.toFixed(2),
        bare: +bare.toFixed(2),
        ratio: +(ours / bare).toFixed(2)
      };
    };
    result[mode] = {
      'main thread, ms a step': figures('work'),
      'worst frame, ms': figures('worst'),
      'frames over 50 ms': figures('long')
    };
    console.log(mode, JSON.stringify(result[mode]));
  }
});
