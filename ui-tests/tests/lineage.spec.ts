/**
 * Histories of cells that are split, merged, copied, deleted or moved, and of notebooks that are
 * renamed or duplicated. In real JupyterLab, with a real kernel.
 */
import type { IJupyterLabPageFixture } from '@jupyterlab/galata';

import { CellUnderTest } from '../fixtures/cells';
import { expect, type Lab, openPath, test } from '../fixtures/lab';
import { code } from '../fixtures/scripted';

function execute(page: IJupyterLabPageFixture, command: string): Promise<void> {
  return page.evaluate(async name => {
    const { commands, shell } = (window as any).jupyterapp;
    // What is done within half a second is one step of undo. People are slower.
    shell.currentWidget.content.model.sharedModel.undoManager.stopCapturing();
    // It may give a widget, which is no answer for here.
    await commands.execute(name);
  }, command);
}

function select(
  page: IJupyterLabPageFixture,
  first: number,
  last = first
): Promise<void> {
  return page.evaluate(
    ([from, to]) => {
      const { content } = (window as any).jupyterapp.shell.currentWidget;
      content.mode = 'command';
      content.deselectAll();
      content.activeCellIndex = from;
      if (from !== to) {
        content.extendContiguousSelectionTo(to);
      }
    },
    [first, last]
  );
}

function ids(page: IJupyterLabPageFixture): Promise<string[]> {
  return page.evaluate(() =>
    (window as any).jupyterapp.shell.currentWidget.content.widgets.map(
      (cell: any) => cell.model.id
    )
  );
}

/** The types of a session's records in order; `turn` for a turn. */
async function recordTypes(
  lab: Lab,
  notebookId: string,
  cellId: string
): Promise<string[]> {
  const all = await lab.records(notebookId);
  const session = all.find(({ meta }) => meta.cell_id === cellId);
  return [...(session?.interactions ?? []), ...(session?.events ?? [])]
    .sort((a, b) => (a.seq ?? 0) - (b.seq ?? 0))
    .map(record => ('type' in record ? record.type : 'turn'));
}

test(
  'each cell has its own history, whatever is done to the cells and the notebook',
  { tag: '@core' },
  async ({ page, lab, openNotebook, tmpPath }) => {
    // P28
    test.setTimeout(180_000);
    const file = await openNotebook([
      'a = 1\nb = 2',
      'c = 3',
      'md:# 标题',
      'import base64\nfrom IPython.display import Image, display\ndisplay(Image(base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==")))\nprint("图")'
    ]);
    await lab.model!.script(code('c = 4'));
    const second = new CellUnderTest(page, 1);
    await second.ask('add one');
    await second.accept();
    const id = await lab.notebookId(file);
    const expectRecords = (cellId: string) =>
      expect.poll(() => recordTypes(lab, id, cellId));
    // From the first turn on all code and Markdown cells are known.
    await expectRecords('ce11-0001').toEqual(['edit']);
    await expectRecords('ce11-0002').toEqual(['turn', 'accept']);
    await expectRecords('ce11-0003').toEqual(['edit']);

    // A run, with what it put out: text and a small picture.
    await new CellUnderTest(page, 3).run();
    await expectRecords('ce11-0004').toEqual(['edit', 'run']);
    const [, run] = (await lab.records(id)).find(
      ({ meta }) => meta.cell_id === 'ce11-0004'
    )!.events!;
    expect(run.data).toMatchObject({
      status: 'ok',
      execution_count: 1,
      outputs: {
        text: '图\n',
        images: [{ mime: 'image/png', width: 1, height: 1 }]
      }
    });
    const { sha256 } = (run.data as any).outputs.images[0];
    const picture = await page.request.get(
      `${lab.url}/aiserver/blobs/${sha256}`
    );
    expect(picture.headers()['content-type']).toBe('image/png');

    // Split: the id stays with the last piece.
    await new CellUnderTest(page, 0).focus();
    await page.keyboard.press('ControlOrMeta+Home');
    await page.keyboard.press('End');
    await page.keyboard.press('ControlOrMeta+Shift+Minus');
    await expect.poll(() => ids(page)).toHaveLength(5);
    const [piece] = await ids(page);
    await expectRecords('ce11-0001').toEqual(['edit', 'split']);
    await expectRecords(piece).toEqual(['edit', 'split']);

    // Merge, undo.
    await select(page, 0, 1);
    await execute(page, 'notebook:merge-cells');
    await expect.poll(() => ids(page)).toHaveLength(4);
    const [merged] = await ids(page);
    await expectRecords(merged).toEqual(['merge']);
    await expectRecords('ce11-0001').toEqual(['edit', 'split', 'merge']);
    const { meta } = (await lab.records(id)).find(
      item => item.meta.cell_id === merged
    )!;
    expect(meta.parents?.map(parent => parent.cell_id)).toEqual([
      piece,
      'ce11-0001'
    ]);
    await execute(page, 'notebook:undo-cell-action');
    await expectRecords('ce11-0001').toEqual([
      'edit',
      'split',
      'merge',
      'undelete'
    ]);
    await expectRecords(merged).toEqual(['merge', 'delete']);

    // Copy, then go on in the copy: the origin knows nothing of it.
    await select(page, 2);
    await execute(page, 'notebook:copy-cell');
    await execute(page, 'notebook:paste-cell-below');
    await expect.poll(() => ids(page)).toHaveLength(6);
    const copy = (await ids(page))[3];
    await expectRecords(copy).toEqual(['turn', 'accept', 'copy']);
    await lab.model!.script(code('c = 5'));
    const copied = new CellUnderTest(page, 3);
    await copied.ask('in the copy');
    await copied.accept();
    await expectRecords(copy).toEqual([
      'turn',
      'accept',
      'copy',
      'turn',
      'accept'
    ]);
    await expectRecords('ce11-0002').toEqual(['turn', 'accept']);

    // Delete, undo, move.
    await select(page, 2);
    await execute(page, 'notebook:delete-cell');
    await expectRecords('ce11-0002').toEqual(['turn', 'accept', 'delete']);
    await execute(page, 'notebook:undo-cell-action');
    await expectRecords('ce11-0002').toEqual([
      'turn',
      'accept',
      'delete',
      'undelete'
    ]);
    await select(page, 2);
    await execute(page, 'notebook:move-cell-down');
    await expectRecords('ce11-0002').toEqual([
      'turn',
      'accept',
      'delete',
      'undelete',
      'move'
    ]);

    // What is typed and saved is noted; the file holds the id alone.
    await new CellUnderTest(page, 0).focus();
    await page.keyboard.press('ControlOrMeta+End');
    await page.keyboard.type(' + 1');
    await execute(page, 'docmanager:save');
    await expect
      .poll(async () => (await recordTypes(lab, id, piece)).at(-1))
      .toBe('edit');
    const saved = JSON.parse(await lab.read(file));
    expect(saved.metadata.aiserver).toEqual({ notebook_id: id });
    expect(JSON.stringify(saved.cells)).not.toContain('aiserver');
    const before = await lab.records(id);

    // Duplicate, rename: histories stay with their notebooks.
    await execute(page, 'docmanager:duplicate');
    const twin = `${tmpPath}/cells-Copy1.ipynb`;
    await expect.poll(() => lab.notebookId(twin).catch(() => '')).toBeTruthy();
    await openPath(page, twin);
    await expect
      .poll(() =>
        page.evaluate(
          known =>
            // There is no metadata until the file has been read.
            (
              window as any
            ).jupyterapp.shell.currentWidget.context.model.getMetadata(
              'aiserver'
            )?.notebook_id ?? known,
          id
        )
      )
      .not.toBe(id);
    await new CellUnderTest(page, 3).focus();
    await page.keyboard.type('# of the twin\n');
    await execute(page, 'docmanager:save');
    const twinId = await lab.notebookId(twin);
    expect(twinId).not.toBe(id);
    await expect
      .poll(async () =>
        (await lab.records(twinId)).some(session =>
          session.events?.some(event => event.source?.includes('of the twin'))
        )
      )
      .toBe(true);
    expect(await lab.records(id)).toEqual(before);
  }
);
