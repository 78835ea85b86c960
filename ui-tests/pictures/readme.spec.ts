/**
 * The animation of the README: ask, review, accept, ask for a change, replay, restore. JupyterLab and
 * the answers of the small model are real. `make pictures` writes docs/images/ask-review-replay.webp.
 */
import { execFileSync } from 'node:child_process';
import { copyFile, writeFile } from 'node:fs/promises';
import * as path from 'node:path';

import { CellUnderTest, ReplayUnderTest } from '../fixtures/cells';
import { expect, openLab, test } from '../fixtures/plain';
import { notebookFile } from '../fixtures/lab';
import { execute } from '../fixtures/shell';

const REPOSITORY = path.resolve(__dirname, '..', '..');
const ANSWER = 180_000; // ms
const FILE = 'sales.ipynb';
const LOAD =
  'import pandas as pd\n\nsales = pd.read_csv("data.csv")\nsales.head(2)';
const FIRST = 'plot a histogram of the price';
const SECOND = '10 bins, in orange';

test.use({
  modelKind: 'embedded',
  viewport: { width: 1000, height: 640 },
  // Sharp on screens with many pixels, too.
  deviceScaleFactor: 1.5
});

test('ask, review, replay', async ({ page, lab }) => {
  test.setTimeout(600_000);
  await copyFile(
    path.join(REPOSITORY, 'examples/data.csv'),
    path.join(lab.root, 'data.csv')
  );
  // Small plots, so that they are in the picture completely.
  await lab.write('matplotlibrc', 'figure.figsize: 6, 2.6');
  await lab.write(FILE, notebookFile([LOAD, '']));
  await openLab(page, lab, FILE, 'pictures');
  await execute(page, 'statusbar:toggle');

  const frames: { file: string; duration: number }[] = [];
  /** Add a picture of the page that is shown for `duration` milliseconds. */
  const frame = async (duration: number) => {
    const file = test.info().outputPath(`${frames.length}.png`);
    await page.mouse.move(0, 0);
    await page.screenshot({
      path: file,
      caret: 'hide',
      animations: 'disabled'
    });
    frames.push({ file, duration });
  };

  const first = new CellUnderTest(page, 0);
  await first.run();
  const cell = new CellUnderTest(page, 1);
  const ready = () =>
    expect(cell.button(/^Accept$/)).toBeEnabled({ timeout: ANSWER });
  const type = async (request: string) => {
    const { length } = request;
    for (const end of [
      Math.floor(length / 3),
      Math.floor(length / 1.5),
      length
    ]) {
      await cell.input.fill(request.slice(0, end));
      await frame(end === length ? 900 : 300);
    }
    await cell.input.press('Enter');
  };
  const acceptAndRun = async () => {
    await page.keyboard.press('Alt+Enter');
    await cell.proposal.waitFor({ state: 'detached' });
    await expect(cell.row).toHaveCount(0, { timeout: ANSWER });
    await expect(cell.output.getByRole('img')).toBeVisible();
  };

  // Ask and review.
  await cell.focus();
  await frame(1000);
  await cell.open();
  await type(FIRST);
  await expect(cell.proposal).toContainText('sales', { timeout: ANSWER });
  await frame(700);
  await ready();
  await frame(2000);
  await acceptAndRun();
  await frame(1800);

  // Ask for a change.
  await cell.open();
  await type(SECOND);
  await ready();
  await frame(2400);
  await acceptAndRun();
  await frame(1800);

  // Replay and restore.
  await cell.focus();
  const replay = new ReplayUnderTest(page);
  await replay.open();
  await replay.wide(400);
  await expect(replay.steps).toHaveCount(2);
  await frame(1800);
  await replay.steps.first().getByRole('button').click();
  await frame(1800);
  await replay.button('Restore this version').click();
  await expect(replay.panel.getByRole('status')).toContainText('Restored');
  await frame(1800);
  await cell.run();
  await frame(2600);

  const list = test.info().outputPath('frames.json');
  await writeFile(list, JSON.stringify(frames));
  execFileSync('python', [
    path.join(__dirname, 'animate.py'),
    list,
    path.join(REPOSITORY, 'docs/images/ask-review-replay.webp')
  ]);
});
