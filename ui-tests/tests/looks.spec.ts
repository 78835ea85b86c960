/**
 * The looks of the sidebar: each view in each theme, in the system's own colours, as narrow as it
 * gets, in Chinese, with nothing to show and when the server fails. The pictures are there to be
 * looked at; what can be told by a rule is asserted: nothing sticks out, nothing that tells two
 * things apart is lost with the colours (P38). With AISERVER_PICTURES=1 (`make pictures`) those of
 * docs/replay.md are written to docs/images.
 */
import type { Page } from '@playwright/test';
import * as path from 'node:path';

import { CellUnderTest, ReplayUnderTest } from '../fixtures/cells';
import { fullHistory, Theme, wear } from '../fixtures/dress';
import { catalog, speak } from '../fixtures/language';
import { expectStill } from '../fixtures/motion';
import { expect, test } from '../fixtures/plain';
import { execute } from '../fixtures/shell';

const PLOT = path.resolve(__dirname, '..', 'fixtures', 'plot.png');
const IMAGES = path.resolve(__dirname, '..', '..', 'docs', 'images');
/** The pictures in docs/replay.md. */
const SHOWN = ['cell', 'compare', 'notebook', 'found', 'blame'].map(
  view => `replay-${view}-light`
);
const PANEL = '.jp-AIServer-Replay';

test.use({ viewport: { width: 1360, height: 860 } });

/** A picture of the sidebar, or of a cell. */
async function picture(
  page: Page,
  name: string,
  what = page.locator(PANEL)
): Promise<void> {
  const isPublished = process.env.AISERVER_PICTURES && SHOWN.includes(name);
  await page.mouse.move(0, 0);
  await what.screenshot({
    path: path.join(
      isPublished ? IMAGES : test.info().outputPath(),
      `${name}.png`
    ),
    caret: 'hide',
    animations: 'disabled'
  });
}

/** Elements that overflow or wrap although they neither scroll nor have an ellipsis. */
async function stickingOut(page: Page): Promise<string[]> {
  return page.locator(PANEL).evaluate(panel => {
    const right = (node: Element) => node.getBoundingClientRect().right;
    const top = (node: Element) => node.getBoundingClientRect().top;
    const action = '.jp-AIServer-Replay-action';
    const isWrapped = (node: Element) =>
      node.matches(`${action} + ${action}`) &&
      top(node) !== top(node.previousElementSibling!);
    const isOut = (node: Element) =>
      right(node) > right(panel) + 1 ||
      isWrapped(node) ||
      // The buttons beside the tabs would lie over it.
      (node.role === 'tab' && right(node) > right(node.parentElement!) + 1);
    return [...panel.querySelectorAll('button, span, p, h2, h3, select, time')]
      .filter(
        node =>
          (node as HTMLElement).checkVisibility() &&
          !node.closest('.cm-editor, svg') &&
          isOut(node)
      )
      .map(node => node.outerHTML.slice(0, 120));
  });
}

/** Whether the list has all its rows or a third of the room, and the output its own scroll bar. */
async function shares(page: Page): Promise<{ list: boolean; table: boolean }> {
  return page.locator(PANEL).evaluate(panel => {
    const find = (name: string) =>
      panel.querySelector<HTMLElement>(`.jp-AIServer-Replay-${name}`)!;
    const list = find('list');
    const table = find('output > pre');
    const room = list.parentElement!.clientHeight / 3;
    return {
      list: list.clientHeight >= Math.min(list.scrollHeight, room),
      table:
        table.scrollWidth > table.clientWidth &&
        find('step').scrollWidth <= find('step').clientWidth
    };
  });
}

/** All views one after another; `see` is called in each. */
async function walk(
  page: Page,
  replay: ReplayUnderTest,
  see: (view: string) => Promise<void>,
  say = (text: string) => text
): Promise<void> {
  const cell = new CellUnderTest(page, 2);
  await replay.tab(say('Cell')).click();
  await cell.focus();
  await expect(replay.steps).toHaveCount(6);
  await replay.steps.nth(4).getByRole('button').click();
  await see('cell');
  await replay.button(say('Compare with another step')).click();
  await replay.panel.locator('input[type="number"]').first().fill('2');
  await expect(
    replay.panel.locator('.jp-AIServer-Replay-outputs pre')
  ).toHaveCount(2);
  await see('compare');
  await replay.button(say('Close comparison')).click();
  await new CellUnderTest(page, 1).focus();
  await expect(replay.slider).toHaveAttribute('aria-valuemax', '2');
  await see('long');
  await replay.tab(say('Notebook')).click();
  await replay.slider.press('End');
  await expect(replay.slider).toHaveAttribute('aria-valuetext', say('Now'));
  await see('now');
  const each = replay.panel.locator('.jp-AIServer-Replay-each');
  await each.click();
  await see('whose');
  await each.click();
  await replay.slider.press('Home');
  for (let n = 0; n < 30; n++) {
    await replay.slider.press('ArrowRight');
    const text = await replay.slider.getAttribute('aria-valuetext');
    if (text?.includes('柱状图')) {
      break;
    }
  }
  await expect(replay.panel.locator('ins').first()).toBeVisible();
  await see('notebook');
  await replay.tab(say('Search')).click();
  const field = replay.panel.getByRole('searchbox');
  await field.fill('');
  await see('search');
  await field.fill('revenue');
  await expect(replay.panel.locator('mark').first()).toBeVisible();
  await see('found');
  await field.fill('xyzzy');
  await expect(replay.panel.locator('mark')).toHaveCount(0);
  await see('nothing-found');
}

/** The gutter with the contributor of each line, in the cell. */
async function blamed(page: Page, name: string): Promise<void> {
  const cell = new CellUnderTest(page, 2);
  await cell.focus();
  await page.keyboard.press('ControlOrMeta+Alt+b');
  await expect(cell.authors).toHaveCount(6);
  await page.keyboard.press('ControlOrMeta+Home');
  await picture(page, name, cell.root);
  await page.keyboard.press('ControlOrMeta+Alt+b');
  await expect(cell.authors).toHaveCount(0);
}

test('every view, in every theme, wide and narrow', async ({
  page,
  lab,
  open
}) => {
  test.setTimeout(300_000);
  const image = await lab.keepPicture(PLOT);
  await open(await fullHistory(lab, 'looks', image), {
    aiserver: { notebook_id: 'looks' }
  });
  const replay = new ReplayUnderTest(page);
  await replay.open();
  for (const theme of [
    'JupyterLab Light',
    'JupyterLab Dark',
    'JupyterLab Dark High Contrast'
  ] as Theme[]) {
    await wear(page, theme);
    const name = theme.split(' ').slice(1).join('-').toLowerCase();
    await replay.wide(480);
    await walk(page, replay, async view => {
      await picture(page, `replay-${view}-${name}`);
      expect.soft(await stickingOut(page), `${view}-${name}`).toEqual([]);
    });
    await blamed(page, `replay-blame-${name}`);
  }
  await wear(page, 'JupyterLab Light');
  await replay.tab('Cell').click();
  await new CellUnderTest(page, 2).focus();
  // The least width of JupyterLab, Notebook 7's, and the one with which the sidebar opens.
  for (const width of [250, 288, 320, 360, 562]) {
    await replay.wide(width);
    await expect(replay.steps).toHaveCount(6);
    await replay.steps.nth(4).getByRole('button').click();
    expect.soft(await stickingOut(page), `actions at ${width}`).toEqual([]);
  }
  // In a low window the list keeps its share, and a wide table scrolls in its own box.
  await page.setViewportSize({ width: 1360, height: 640 });
  await replay.wide(311);
  await expect.poll(() => shares(page)).toEqual({ list: true, table: true });
  await page.setViewportSize({ width: 1360, height: 860 });
  await replay.wide(240);
  await walk(page, replay, async view => {
    await picture(page, `narrow-${view}`);
    expect.soft(await stickingOut(page), `narrow-${view}`).toEqual([]);
  });
});

test('the sidebar opens 320 px wide, and keeps the width that a person chose', async ({
  page,
  open
}) => {
  await open(['']);
  const replay = new ReplayUnderTest(page);
  // One pixel of the sidebar is its border.
  const width = async () =>
    1 + Math.round((await replay.panel.boundingBox())?.width ?? 0);
  const toggle = () => execute(page, 'application:toggle-right-area');
  await replay.open();
  expect(await width()).toBe(320);
  await replay.wide(260);
  await expect.poll(width).toBe(260);
  await toggle();
  await expect(replay.panel).toBeHidden();
  await toggle();
  await expect.poll(width).toBe(260);
});

test('in the system’s own colours, all states can be distinguished (P38)', async ({
  page,
  lab,
  open
}) => {
  test.setTimeout(180_000);
  await page.emulateMedia({ forcedColors: 'active', reducedMotion: 'reduce' });
  await open(await fullHistory(lab, 'forced'), {
    aiserver: { notebook_id: 'forced' }
  });
  const replay = new ReplayUnderTest(page);
  await replay.open();
  await replay.wide(480);
  const look = (selector: string, what: string) =>
    page
      .locator(`${PANEL} ${selector}`)
      .first()
      .evaluate(
        (node, what) => getComputedStyle(node).getPropertyValue(what),
        what
      );
  /** Expect the first matches of two selectors to differ in a CSS property. */
  const differ = async (first: string, other: string, what: string) =>
    expect
      .soft(await look(first, what), `${first} | ${other}`)
      .not.toBe(await look(other, what));
  await walk(page, replay, async view => {
    await picture(page, `forced-${view}`);
    if (view === 'cell') {
      await differ(
        '.jp-mod-model.jp-AIServer-Replay-dot',
        '.jp-mod-hand.jp-AIServer-Replay-dot',
        'background-color'
      );
      await differ(
        '.jp-mod-bad.jp-AIServer-Replay-dot',
        '.jp-mod-hand.jp-AIServer-Replay-dot',
        'border-radius'
      );
      await differ(
        '.cm-deletedChunk',
        '.cm-changedLine',
        'text-decoration-line'
      );
    } else if (view === 'compare') {
      await differ(
        'footer [aria-pressed="true"]',
        'footer [aria-haspopup="menu"]',
        'background-color'
      );
    } else if (view === 'notebook') {
      await differ(
        'li.jp-mod-changed > button',
        'li:not(.jp-mod-changed) > button',
        'border-left-color'
      );
      await differ('li del', 'li ins', 'text-decoration-line');
      await differ(
        '.jp-AIServer-Replay-heat .jp-mod-model',
        '.jp-AIServer-Replay-heat .jp-mod-hand',
        'background-color'
      );
      await differ(
        '.jp-AIServer-Replay-cursor',
        '.jp-AIServer-Replay-line',
        'background-color'
      );
      await differ(
        '[role="tab"][aria-selected="true"]',
        '[role="tab"][aria-selected="false"]',
        'outline-style'
      );
    } else if (view === 'found') {
      await differ(
        'label:has(:checked)',
        'label:not(:has(:checked))',
        'background-color'
      );
    }
  });
  await blamed(page, 'forced-blame');
  await expectStill(page);
});

test('every view in Chinese', async ({ page, lab, open }) => {
  test.setTimeout(180_000);
  const say = catalog('zh_CN');
  const id = 'looks-cn';
  await speak(lab, 'zh_CN');
  try {
    await open(await fullHistory(lab, id), {
      aiserver: { notebook_id: id }
    });
    const replay = new ReplayUnderTest(page, say);
    await replay.open();
    for (const width of [420, 240]) {
      await replay.wide(width);
      await walk(
        page,
        replay,
        async view => {
          await picture(page, `zh_CN-${width}-${view}`);
          expect.soft(await stickingOut(page), `${view}-${width}`).toEqual([]);
        },
        say
      );
    }
  } finally {
    await speak(lab, 'default');
  }
});
