/** Which notebooks and cells are followed, and by whom. */
import type { YNotebook } from '@jupyter/ydoc';
import { NotebookActions } from '@jupyterlab/notebook';
import type { Map as YMap, Text as YText } from 'yjs';

import { Page, asked, playKernel } from './tracking.fakes';

beforeAll(() => playKernel());
afterEach(() => document.body.replaceChildren());

describe('a notebook without an AI turn', () => {
  it('is left alone', async () => {
    const page = new Page();
    const open = await page.open([{ id: 'aa', source: 'x' }]);
    open.type(0, 'y');
    await open.run(0);
    await open.save();
    expect(page.receiver.sessions.size).toBe(0);
    const known = await page.open([{ id: 'aa', source: 'x' }], {
      notebookId: 'known'
    });
    await known.save();
    expect(page.receiver.logs.size).toBe(0);
  });
});

describe('from the first AI turn on', () => {
  it('notes what all cells hold, once', async () => {
    const open = await asked();
    const { receiver } = open.page;
    expect(open.kinds('aa')).toEqual(['edit']);
    expect(receiver.events(open.id, 'aa')[0]).toMatchObject({
      source: 'a = 1\nb = 2',
      data: { trigger: 'first' }
    });
    expect(open.kinds('bb')).toEqual(['turn', 'accept']);
    expect(open.kinds('cc')).toEqual(['edit']);
    const [line] = receiver.logs.get(open.id)!;
    expect(line.order).toEqual(['aa', 'bb', 'cc']);
    expect(line.types).toEqual({ aa: 'code', bb: 'code', cc: 'markdown' });
  });

  it('notes raw cells too: without them no moment would be as it was', async () => {
    const open = await asked();
    open.select(2);
    NotebookActions.insertBelow(open.panel.content);
    NotebookActions.changeCellType(open.panel.content, 'raw');
    await open.rest();
    open.type(3, 'title: 报告');
    await open.save();
    const { receiver } = open.page;
    expect(receiver.events(open.id, open.ids[3]).at(-1)).toMatchObject({
      type: 'edit',
      source: 'title: 报告'
    });
  });

  it('doubles nothing when it is opened again', async () => {
    const open = await asked();
    await open.save();
    const cells = open.ids.map((id, index) => ({
      id,
      type: open.panel.content.widgets[index].model.type,
      source: open.sources[index]
    }));
    const before = JSON.stringify([...open.page.receiver.sessions]);
    const again = new Page(open.page.receiver);
    await again.open(cells, { notebookId: open.id });
    expect(JSON.stringify([...open.page.receiver.sessions])).toBe(before);
  });

  it('notes what was changed while nobody looked', async () => {
    const open = await asked();
    const again = new Page(open.page.receiver);
    const cells = [{ id: 'aa', source: 'elsewhere = 1' }];
    await again.open(cells, { notebookId: open.id });
    expect(open.kinds('aa')).toEqual(['edit', 'edit']);
  });

  it('leaves the notebook as it is but for the id', async () => {
    const open = await asked();
    open.type(0, 'x');
    await open.run(0);
    await open.save();
    const { metadata, cells } =
      open.panel.context.model.toJSON() as unknown as {
        metadata: Record<string, unknown>;
        cells: unknown;
      };
    expect(metadata.aiserver).toEqual({ notebook_id: open.id });
    expect(JSON.stringify(cells)).not.toContain('aiserver');
  });
});

describe('changes of others', () => {
  it('are followed, and recorded by them alone', async () => {
    const { Doc, applyUpdate, encodeStateAsUpdate } = await import('yjs');
    const open = await asked();
    const { ydoc } = open.panel.content.model!.sharedModel as YNotebook;
    const theirs = new Doc();
    applyUpdate(theirs, encodeStateAsUpdate(ydoc));
    open.page.receiver.bodies = [];
    const cells = theirs.getArray<YMap<unknown>>('cells');
    const source = cells.get(0).get('source') as YText;
    source.insert(0, 'theirs = 0\n');
    cells.delete(1, 1);
    applyUpdate(ydoc, encodeStateAsUpdate(theirs), 'others');
    await open.rest();
    expect(open.ids).toEqual(['aa', 'cc']);
    expect(open.page.receiver.bodies).toEqual([]);
    open.page.tracking.leave();
    await open.rest();
    expect(open.page.receiver.bodies).toEqual([]);
    open.type(0, 'mine = 1');
    await open.save();
    expect(open.kinds('aa')).toEqual(['edit', 'edit']);
    expect(open.kinds('bb')).toEqual(['turn', 'accept']);
  });
});

describe('the setting', () => {
  it('watches only the cells in which a model was asked', async () => {
    const page = new Page();
    page.tracking.scope = 'ai';
    const open = await asked(page);
    open.type(0, 'x');
    open.type(1, 'y');
    await open.run(0);
    await open.run(1);
    expect(page.receiver.session(open.id, 'aa')).toBeNull();
    expect(open.kinds('bb')).toEqual(['turn', 'accept', 'edit', 'run']);
    const model = await open.ask(0, 'asked = 1');
    await model.accept();
    open.type(0, 'then');
    await open.save();
    expect(open.kinds('aa')).toEqual(['turn', 'accept', 'edit']);
  });

  it('watches nothing where it is off, until it is on again', async () => {
    const page = new Page();
    page.tracking.scope = 'off';
    const open = await asked(page);
    open.type(0, 'x');
    await open.save();
    expect(page.receiver.bodies).toEqual([]);
    page.tracking.scope = 'all';
    await open.rest();
    expect(open.kinds('aa')).toEqual(['edit']);
  });
});
