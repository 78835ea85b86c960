/** What is recorded of runs, and by the setting of which cells are tracked. */
import type { Page } from '@playwright/test';

import { CellUnderTest } from '../fixtures/cells';
import type { Lab } from '../fixtures/lab';
import { expect, test } from '../fixtures/plain';
import { code } from '../fixtures/scripted';
import { execute } from '../fixtures/shell';

const PICTURE =
  'import base64\nfrom IPython.display import Image, display\ndisplay(Image(base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==")))\nprint("图")';

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
        await execute(page, 'docmanager:save');
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

test('a run is recorded with its text and its picture', async ({
  page,
  lab,
  open
}) => {
  const file = await open(['a = 1', PICTURE]);
  const cell = new CellUnderTest(page, 0);
  await lab.model!.script(code('a = 2'));
  await cell.ask('two');
  await cell.accept();
  await new CellUnderTest(page, 1).run();
  const id = await lab.notebookId(file);
  const run = async () => {
    const records = await lab.records(id);
    const session = records.find(({ meta }) => meta.cell_id === 'ce11-0002');
    return session?.events?.find(({ type }) => type === 'run')?.data;
  };
  await expect.poll(run).toMatchObject({
    status: 'ok',
    execution_count: 1,
    outputs: {
      text: '图\n',
      images: [{ mime: 'image/png', width: 1, height: 1 }]
    }
  });
  const { sha256 } = ((await run()) as any).outputs.images[0];
  const picture = await page.request.get(`${lab.url}/aiserver/blobs/${sha256}`);
  expect(picture.headers()['content-type']).toBe('image/png');
});
