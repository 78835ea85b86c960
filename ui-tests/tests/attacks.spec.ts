/**
 * Hostile text, wherever it may come from: it is text in the page and nothing else. It loads
 * nothing, runs nothing and opens nothing.
 */
import type { Page } from '@playwright/test';
import { existsSync, readFileSync } from 'node:fs';
import * as path from 'node:path';

import { CellUnderTest, ReplayUnderTest } from '../fixtures/cells';
import { notebookFile } from '../fixtures/lab';
import { expect, openLab, test } from '../fixtures/plain';
import { code } from '../fixtures/scripted';
import { save } from '../fixtures/shell';

const { payloads, command } = JSON.parse(
  readFileSync(
    path.resolve(__dirname, '..', '..', 'tests', 'data', 'malicious.json'),
    'utf-8'
  )
) as { payloads: { name: string; text: string }[]; command: string };

/** The elements that a payload would create if it were interpreted. */
const ELEMENTS = [
  // (CodeMirror puts an empty image beside each widget.)
  'img:not(.cm-widgetBuffer), picture, iframe, object, embed, video, audio, script, style, link, base, meta, form',
  'math, [onerror], [onload], [onfocus], [data-commandlinker-command]',
  'a[href], [style*="url("]'
].join(', ');

/** Code that leaves a trace if it ever runs. */
const CANARY = 'open("ran-canary", "w").close()';

/** Watch a page; the answer tells what went beyond text since then. */
async function watch(page: Page, origin: string) {
  const events: string[] = [];
  page.on('request', request => {
    const url = request.url();
    if (!/^(data|blob):/.test(url) && !url.startsWith(origin)) {
      events.push(`request ${url}`);
    }
  });
  page.on('dialog', dialog => {
    events.push(`dialog ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('popup', popup => events.push(`popup ${popup.url()}`));
  page.on('framenavigated', frame => {
    if (frame !== page.mainFrame()) {
      events.push(`frame ${frame.url()}`);
    }
  });
  return {
    /** A command that hostile text names is there to be run. */
    arm: () =>
      page.evaluate(name => {
        (window as any).jupyterapp.commands.addCommand(name, {
          execute: () => ((window as any).pwned = 'command')
        });
      }, command),
    events: async () => {
      const pwned = await page.evaluate(() => (window as any).pwned);
      return pwned === undefined ? events : [...events, `script ${pwned}`];
    }
  };
}

/** The number of executions of the kernel. */
const executions = (page: Page) =>
  page.evaluate(() =>
    (window as any).jupyterapp.shell.currentWidget.content.widgets.map(
      (cell: any) => cell.model.executionCount ?? 0
    )
  );

test(
  'a crafted history, in a notebook with a crafted name, is text',
  {
    tag: '@core'
  },
  async ({ page, lab }) => {
    // P11, P12, P13: not on opening, not on going through its steps, not in the overview.
    test.setTimeout(120_000);
    const now = '2026-01-27T10:00:00.000Z';
    const session = (cellId: string) => ({
      meta: {
        version: '1.0',
        notebook_id: 'crafted',
        cell_id: cellId,
        created_at: now,
        last_updated: now
      },
      interactions: payloads.map(({ text }, index) => ({
        turn_id: index + 1,
        timestamp: now,
        user_request: { intent: text, current_code: text, language: 'python' },
        ai_response: {
          suggestion: `${CANARY}\n# ${text}`,
          explanation: text,
          status: index % 5 ? 'success' : 'error',
          error: index % 5 ? null : text
        },
        model: `evil:${text.slice(0, 200)}`,
        user: text.slice(0, 200)
      })),
      events: [
        { seq: 900, type: 'edit', timestamp: now, source: payloads[2].text },
        {
          seq: 901,
          type: 'made_up',
          timestamp: now,
          data: { text: payloads[2].text }
        }
      ]
    });
    for (const cellId of ['ce11-0001', 'gone']) {
      await lab.write(
        `.aiserver_sessions/crafted_${cellId}.json`,
        JSON.stringify(session(cellId))
      );
    }
    const name = '<img src=x onerror="window.pwned=1">.ipynb';
    await lab.write(
      name,
      notebookFile([CANARY, ''], { aiserver: { notebook_id: 'crafted' } })
    );
    const watched = await watch(page, lab.url);
    await openLab(page, lab, name);
    await watched.arm();
    const replay = new ReplayUnderTest(page);
    await replay.open();
    await new CellUnderTest(page, 0).focus();
    await expect(replay.slider).toBeVisible();
    const last = Number(await replay.slider.getAttribute('aria-valuemax'));
    expect(last).toBeGreaterThanOrEqual(payloads.length);
    await replay.slider.focus();
    await page.keyboard.press('Home');
    for (let step = 1; step <= last; step++) {
      await expect(replay.slider).toHaveAttribute('aria-valuenow', `${step}`);
      await page.keyboard.press('ArrowRight');
    }
    await expect(replay.panel.locator(ELEMENTS)).toHaveCount(0);
    await expect(replay.panel).toContainText('onerror="window.pwned=1"');
    await replay.tab('Notebook').click();
    await expect(replay.panel).toContainText('Deleted cells');
    await expect(replay.panel.locator(ELEMENTS)).toHaveCount(0);
    // Earlier wishes come back into the prompt row as what they were.
    const cell = new CellUnderTest(page, 0);
    await cell.open();
    await expect(cell.row).toContainText(/Request \d/);
    await cell.input.press('ArrowUp');
    await expect(cell.input).toHaveValue(payloads[payloads.length - 1].text);
    await expect(cell.row.locator(ELEMENTS)).toHaveCount(0);
    // Restored, it is in the cell, and still nothing has run.
    await replay.tab('Cell').click();
    await replay.slider.press('Home');
    await replay.slider.press('ArrowRight');
    await replay.button('Restore this version').click();
    await expect.poll(() => cell.source()).toContain('ran-canary');
    expect(await executions(page)).toEqual([0, 0]);
    expect(existsSync(path.join(lab.root, 'ran-canary'))).toBe(false);
    expect(await watched.events()).toEqual([]);
  }
);

test(
  'a hostile answer, model, provider and DataFrame are text',
  { tag: '@core' },
  async ({ page, lab, open }) => {
    // P11, P12, P13: while it streams, when it is done, accepted, and after a reload.
    test.setTimeout(150_000);
    const watched = await watch(page, lab.url);
    const short = payloads.filter(({ text }) => text.length < 1000);
    const all = short.map(({ text }) => text).join('\n\n');
    const columns = JSON.stringify(short.map(({ text }) => text));
    const file = await open([
      `import pandas as pd, json\nevil = pd.DataFrame(columns=json.loads(${JSON.stringify(columns)})); 1`,
      'x = 1'
    ]);
    await watched.arm();
    const model = {
      id: `evil:${all}`,
      label: short[2].text,
      provider: short[2].text,
      onThisMachine: false,
      ready: true
    };
    await page.route(/aiserver\/models(\?|$)/, async route => {
      const answer = await (await route.fetch()).json();
      answer.models.push(model);
      answer.default = model.id;
      await route.fulfill({ json: answer });
    });
    await new CellUnderTest(page, 0).run();
    const before = await executions(page);
    const cell = new CellUnderTest(page, 1);
    await lab.model!.script(
      { status: 400, message: all },
      {
        ...code(`${CANARY}\n"""${all.replaceAll('```', '~~~')}"""`, all),
        hold_after: 30
      }
    );
    await cell.open();
    await expect(cell.row).toContainText(short[2].text);
    await cell.button('More').click();
    await page.getByRole('menuitem', { name: /About a DataFrame/ }).click();
    await page.getByText('evil', { exact: true }).first().click();
    await cell.input.fill(all);
    await cell.input.press('Enter');
    // The provider's words are not shown at all.
    await expect(cell.row.getByRole('alert')).toBeVisible();
    await expect(cell.row.getByRole('alert')).not.toContainText('attacker');
    await cell.button('Try again').click();
    await lab.model!.sent(30);
    await expect(cell.proposal).toBeVisible();
    await expect(cell.row.locator(ELEMENTS)).toHaveCount(0);
    await lab.model!.release();
    await expect(cell.button(/^Accept$/)).toBeEnabled();
    await expect(cell.row).toContainText('onerror="window.pwned=1"');
    await expect(cell.proposal).toContainText('ran-canary');
    await expect(
      cell.root.locator('.jp-AIServer-Ask').locator(ELEMENTS)
    ).toHaveCount(0);
    await expect(cell.proposal.locator(ELEMENTS)).toHaveCount(0);
    // What turns the reading order round is shown as what it is.
    await expect(
      cell.proposal.locator('.cm-specialChar').first()
    ).toBeAttached();
    await cell.accept();
    expect(await cell.source()).toContain('ran-canary');
    expect(await executions(page)).toEqual(before);
    await save(page);
    await openLab(page, lab, file);
    await new ReplayUnderTest(page).open();
    await new CellUnderTest(page, 1).focus();
    await expect(new ReplayUnderTest(page).slider).toBeVisible();
    await expect(new ReplayUnderTest(page).panel.locator(ELEMENTS)).toHaveCount(
      0
    );
    expect(existsSync(path.join(lab.root, 'ran-canary'))).toBe(false);
    expect(await watched.events()).toEqual([]);
  }
);
