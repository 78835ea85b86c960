/**
 * The replay as one file: the page opens from the disk with nothing around it, works by mouse and
 * by keyboard, loads and runs nothing of what a session holds.
 */
import {
  test as base,
  expect,
  type BrowserContextOptions,
  type Page
} from '@playwright/test';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { pathToFileURL } from 'node:url';

import { seriousIn } from '../fixtures/axe';

const REPOSITORY = path.resolve(__dirname, '..', '..');
const HOSTILE = '</script><img src=x onerror=alert(1)>';

const test = base.extend<
  {
    opened: (options?: BrowserContextOptions) => Promise<Page>;
    faults: string[];
  },
  { file: string }
>({
  /** The page of a notebook in whose past everything happens (tests/sharing/demo.py). */
  file: [
    // eslint-disable-next-line no-empty-pattern
    async ({}, use) => {
      const folder = mkdtempSync(path.join(tmpdir(), 'aiserver-sharing-'));
      execFileSync('python', ['-m', 'tests.sharing.demo', folder], {
        cwd: REPOSITORY
      });
      execFileSync(
        'jupyter-aiserver',
        ['replay', 'export', 'sales.ipynb', '--store', folder],
        { cwd: folder }
      );
      await use(path.join(folder, 'sales-replay.html'));
      rmSync(folder, { recursive: true });
    },
    { scope: 'worker' }
  ],
  // eslint-disable-next-line no-empty-pattern
  faults: async ({}, use) => {
    const faults: string[] = [];
    await use(faults);
    expect(faults).toEqual([]);
  },
  /** Open it without a network; whatever it asks for, refuses or throws is a fault. */
  opened: async ({ browser, file, faults }, use) => {
    await use(async (options = {}) => {
      const context = await browser.newContext({
        locale: 'en-US',
        viewport: { width: 1360, height: 800 },
        ...options,
        offline: true
      });
      const page = await context.newPage();
      page.on('console', message => faults.push(message.text()));
      page.on('pageerror', error => faults.push(error.message));
      page.on('dialog', dialog => faults.push(dialog.message()));
      page.on('request', request => {
        const url = request.url();
        if (!url.startsWith('data:') && url !== pathToFileURL(file).href) {
          faults.push(url);
        }
      });
      await page.goto(pathToFileURL(file).href);
      await page.getByRole('heading', { name: 'sales.ipynb' }).waitFor();
      return page;
    });
    await Promise.all(browser.contexts().map(context => context.close()));
  }
});

const time = (page: Page) =>
  page.getByRole('slider', { name: 'Notebook timeline' });
const cell = (page: Page, name: string) =>
  page.getByRole('article').filter({
    has: page.getByRole('button', { name, exact: true })
  });
const panel = (page: Page) => page.getByRole('complementary', { name: 'Cell' });

test('goes through the notebook’s time by keyboard', async ({ opened }) => {
  const page = await opened();
  await expect(time(page)).toHaveValue('16');
  await expect(page.getByText('4 cells, 1 deleted · 7 requests')).toBeVisible();
  await page.keyboard.press('Home');
  await expect(time(page)).toHaveValue('0');
  await expect(page.getByText('Change 1 of 17')).toBeVisible();
  // To where the bars came.
  for (let n = 0; n < 8; n++) {
    await page.keyboard.press('ArrowRight');
  }
  const bars = cell(page, 'Cell 3');
  await expect(bars.locator('ins')).toHaveText([
    'ax = monthly.plot.bar(title="每月收入")',
    'ax.set_ylabel("CNY")'
  ]);
  await expect(bars.locator('del')).toHaveText([
    'monthly.plot(title="Revenue")'
  ]);
  await expect(
    panel(page).getByText('改成柱状图，标题用中文').first()
  ).toBeVisible();
  await expect(panel(page).getByText('gpt-5').first()).toBeVisible();
  // The next step of the same cell, then the one before.
  await page.keyboard.press('Shift+ArrowRight');
  await expect(panel(page).getByText('Step 5 of 6')).toBeVisible();
  await expect(bars.locator('ins')).toHaveText([
    'ax.set_ylabel("CNY", fontsize=9)'
  ]);
  await page.keyboard.press('Shift+ArrowLeft');
  await expect(panel(page).getByText('Step 4 of 6')).toBeVisible();
  await page.keyboard.press('End');
  await expect(time(page)).toHaveValue('16');
  // A Markdown cell that did not just change reads as Markdown.
  const title = cell(page, 'Cell 1');
  await expect(title.getByText('Sales', { exact: true })).toBeVisible();
  await expect(title.getByText('# Sales')).toBeHidden();
});

test('shows the contributor of each line, and the content of deleted cells', async ({
  opened
}) => {
  const page = await opened();
  await expect(cell(page, 'Cell 3').getByText('AI, request 4')).toBeHidden();
  await page.keyboard.press('b');
  await expect(
    page.getByRole('button', { name: 'Authorship' })
  ).toHaveAttribute('aria-pressed', 'true');
  await expect(cell(page, 'Cell 3').locator('.who')).toHaveText([
    'AI, request 2',
    '',
    'AI, request 4',
    'by hand'
  ]);
  await page.getByText('Deleted earlier (1)').click();
  await expect(
    cell(page, 'Deleted cell').getByText('scratch = 1')
  ).toBeVisible();
  await page.keyboard.press('3');
  await expect(
    page.getByText('67% by AI, 11% by hand, 22% existing')
  ).toBeVisible();
  await expect(page.getByRole('row', { name: /^gpt-5.* 1 11%/ })).toBeVisible();
  await page.getByRole('button', { name: 'Cell 2', exact: true }).click();
  await expect(
    panel(page).getByRole('heading', { name: 'Cell 2' })
  ).toBeVisible();
});

test('plays, by mouse, and compares any two steps', async ({ opened }) => {
  const page = await opened();
  await page.getByRole('button', { name: 'First change', exact: true }).click();
  await page.getByLabel('Speed').selectOption('8');
  await page.getByRole('button', { name: 'Play' }).click();
  await page.getByRole('button', { name: 'Pause' }).waitFor();
  await expect(time(page)).toHaveValue('16');
  await expect(page.getByRole('button', { name: 'Play' })).toBeVisible();
  await page.getByRole('button', { name: 'Cell 3', exact: true }).click();
  await expect(
    panel(page).getByRole('img', { name: 'Output image 1' })
  ).toBeHidden();
  await panel(page)
    .getByRole('button', { name: /^Edited by hand ✓ ran 12.7 s/ })
    .click();
  const picture = panel(page).getByRole('img', { name: 'Output image 1' });
  await expect(picture).toBeVisible();
  expect(
    await picture.evaluate((image: HTMLImageElement) => image.naturalWidth)
  ).toBe(120);
  await panel(page).getByLabel('Compare with').selectOption('0');
  await expect(panel(page).locator('del')).toHaveText([
    'monthly = df.groupby("month")["revenue"].sum()',
    'monthly.plot(title="Revenue")'
  ]);
});

test(
  'P12: hostile text is text, and the policy of the file holds',
  { tag: '@core' },
  async ({ opened, faults }) => {
    const page = await opened();
    for (const view of ['1', '2', '3']) {
      await page.keyboard.press(view);
      await expect(page.getByText(HOSTILE).first()).toBeVisible();
    }
    expect(await page.locator('img:not([src^="data:image/png"])').count()).toBe(
      0
    );
    expect(await page.locator('script').count()).toBe(2);
    const refused: (string | undefined)[] = [];
    page.on('requestfailed', request =>
      refused.push(request.failure()?.errorText)
    );
    // What a hole would let in, were there one: it neither runs nor loads.
    await page.evaluate(() => {
      document.body.insertAdjacentHTML(
        'beforeend',
        '<img src="https://example.com/a.png"><b onclick="window.pwned = 1">x</b><style>b{color:red}</style>'
      );
      (
        document.body.lastElementChild!.previousElementSibling as HTMLElement
      ).click();
      const script = document.createElement('script');
      script.textContent = 'window.pwned = 2';
      document.body.append(script);
    });
    // Four refusals, and the one address of a picture that never left the page.
    await expect.poll(() => faults.length).toBe(5);
    expect(
      faults.filter(text => !text.includes('Content Security Policy'))
    ).toEqual(['https://example.com/a.png']);
    expect(refused).toEqual(['csp']);
    expect(await page.evaluate(() => (window as any).pwned)).toBeUndefined();
    faults.length = 0;
  }
);

for (const colorScheme of ['light', 'dark'] as const) {
  test(`axe finds nothing serious, in the ${colorScheme}`, async ({
    opened
  }) => {
    const page = await opened({ colorScheme });
    for (const view of ['1', '2', '3']) {
      await page.keyboard.press(view);
      expect(await seriousIn(page)).toEqual([]);
    }
  });
}

test('speaks Chinese to who reads it, and fits a narrow screen', async ({
  opened
}) => {
  for (const [locale, words] of [
    ['zh-CN', '单元格 3'],
    ['zh-TW', '儲存格 3']
  ]) {
    const page = await opened({
      locale,
      viewport: { width: 400, height: 800 }
    });
    await expect(
      page.getByRole('button', { name: words, exact: true })
    ).toBeVisible();
    const wide = await page.evaluate(
      () => document.documentElement.scrollWidth - window.innerWidth
    );
    expect(wide).toBeLessThanOrEqual(0);
  }
});

for (const colorScheme of ['light', 'dark'] as const) {
  test(`the picture of docs/sharing.md, in the ${colorScheme}`, async ({
    opened
  }) => {
    const page = await opened({ colorScheme });
    // With AISERVER_PICTURES=1 (`make pictures`) it is written to docs/images.
    const folder = process.env.AISERVER_PICTURES
      ? path.join(REPOSITORY, 'docs', 'images')
      : test.info().outputPath();
    await page.keyboard.press('Home');
    for (let n = 0; n < 8; n++) {
      await page.keyboard.press('ArrowRight');
    }
    await expect(panel(page).getByText('Step 4 of 6')).toBeVisible();
    await page.screenshot({
      path: path.join(folder, `sharing-${colorScheme}.png`),
      caret: 'hide',
      animations: 'disabled'
    });
  });
}

test('prints the whole story', async ({ opened }) => {
  const page = await opened();
  await page.emulateMedia({ media: 'print' });
  await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
  await expect(page.getByText('改成柱状图，标题用中文').last()).toBeVisible();
  await expect(
    page.getByText('67% by AI, 11% by hand, 22% existing')
  ).toBeVisible();
  await expect(time(page)).toBeHidden();
  await page.evaluate(() => window.dispatchEvent(new Event('afterprint')));
  await page.emulateMedia({ media: 'screen' });
  await expect(time(page)).toBeVisible();
});
