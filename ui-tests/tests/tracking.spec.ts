/**
 * The setting of which cells are tracked: all, those in which a model was asked, or none.
 */
import type { Page } from '@playwright/test';

import { CellUnderTest } from '../fixtures/cells';
import type { Lab } from '../fixtures/lab';
import { expect, test } from '../fixtures/plain';
import { code } from '../fixtures/scripted';

async function track(lab: Lab, cells: string): Promise<void> {
  const url = `${lab.url}/lab/api/settings/aiserver:track`;
  const body = JSON.stringify({ raw: JSON.stringify({ cells }) });
  expect((await fetch(url, { method: 'PUT', body })).ok).toBe(true);
}

/** The types of each cell's records in order; `turn` for a turn. */
async function recordTypes(
  lab: Lab,
  id: string
): Promise<Record<string, string[]>> {
  const records = await lab.records(id);
  return Object.fromEntries(
    records.map(({ meta, interactions, events }) => [
      meta.cell_id,
      [...interactions, ...(events ?? [])]
        .sort((a, b) => (a.seq ?? 0) - (b.seq ?? 0))
        .map(record => ('type' in record ? record.type : 'turn'))
    ])
  );
}

async function type(page: Page, index: number, text: string): Promise<void> {
  await new CellUnderTest(page, index).focus();
  await page.keyboard.press('ControlOrMeta+End');
  await page.keyboard.type(text);
}

test(
  'changes by hand are recorded according to the setting',
  { tag: '@core' },
  async ({ page, lab, open }) => {
    test.setTimeout(150_000);
    const asked = ['turn', 'accept'];
    try {
      for (const [cells, wanted] of Object.entries({
        off: { 'ce11-0001': [...asked, ...asked] },
        ai: { 'ce11-0001': [...asked, 'edit', ...asked] },
        all: {
          'ce11-0001': [...asked, 'edit', ...asked],
          'ce11-0002': ['edit', 'edit']
        }
      })) {
        await track(lab, cells);
        const file = await open(['a = 1', 'b = 1']);
        const first = new CellUnderTest(page, 0);
        await lab.model!.script(code('a = 2'), code('a = 3'));
        await first.ask('two');
        await first.accept(60_000);
        const id = await lab.notebookId(file);
        if (cells === 'all') {
          // Before anything is typed it is known what was there.
          await expect
            .poll(async () => (await recordTypes(lab, id))['ce11-0002'])
            .toEqual(['edit']);
        }
        await type(page, 0, '0');
        await type(page, 1, '0');
        await page.evaluate(() =>
          (window as any).jupyterapp.commands
            .execute('docmanager:save')
            .then(() => null)
        );
        // What is noted is noted in order: once this is there, nothing of before is to come.
        await first.ask('three');
        await first.accept();
        await expect.poll(() => recordTypes(lab, id), cells).toEqual(wanted);
        const [session] = await lab.sessions(id);
        // Without a note by hand the request says what the cell held.
        expect(session.interactions[1].user_request.current_code).toBe(
          'a = 20'
        );
      }
    } finally {
      await track(lab, 'all');
    }
  }
);
