/** Which notebooks and cells are followed, and by whom. */
import type { YNotebook } from '@jupyter/ydoc';
import { NotebookActions } from '@jupyterlab/notebook';
import type { Array as YArray, Map as YMap, Text as YText } from 'yjs';

import { REST_MS } from './others';
import { OpenNotebook, Page, asked, playKernel } from './tracking.fakes';

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

/** Somebody else in the same notebook: what they have of it, and how it comes here. */
async function others(open: OpenNotebook) {
  const { Doc, applyUpdate, encodeStateAsUpdate } = await import('yjs');
  const { ydoc } = open.panel.content.model!.sharedModel as YNotebook;
  const theirs = new Doc();
  applyUpdate(theirs, encodeStateAsUpdate(ydoc));
  const send = () => applyUpdate(ydoc, encodeStateAsUpdate(theirs), 'others');
  return { theirs, send };
}

describe('changes of others', () => {
  it('have what is on show of their cells asked for anew, when they rest', async () => {
    jest.useFakeTimers({ doNotFake: ['performance'] });
    try {
      const open = await asked();
      const { theirs, send } = await others(open);
      const shown: string[] = [];
      open.page.history.changed.connect((_, { cellId }) => shown.push(cellId));
      const cells = theirs.getArray<YMap<unknown>>('cells');
      for (const line of ['one\n', 'two\n']) {
        (cells.get(0).get('source') as YText).insert(0, line);
        send();
        jest.advanceTimersByTime(REST_MS - 1);
      }
      expect(shown).toEqual([]);
      jest.advanceTimersByTime(1);
      expect(shown).toEqual(['aa']);
      // A run of theirs, but not what it prints.
      (cells.get(0).get('outputs') as YArray<unknown>).push([{}]);
      send();
      jest.advanceTimersByTime(REST_MS);
      expect(shown).toEqual(['aa']);
      cells.get(1).set('execution_count', 7);
      send();
      jest.advanceTimersByTime(REST_MS);
      expect(shown).toEqual(['aa', 'bb']);
      // A cell that goes is named no more: any other stands for the notebook.
      cells.delete(1, 1);
      send();
      jest.advanceTimersByTime(REST_MS);
      expect(shown).toEqual(['aa', 'bb', 'aa']);
      // What is done here is told when it is noted, and not before.
      open.type(0, 'mine = 1');
      jest.advanceTimersByTime(REST_MS);
      expect(shown).toHaveLength(3);
      (cells.get(0).get('source') as YText).insert(0, 'three\n');
      send();
      open.close();
      shown.length = 0;
      jest.advanceTimersByTime(REST_MS);
      expect(shown).toEqual([]);
    } finally {
      jest.useRealTimers();
    }
  });

  it('are followed, and recorded by them alone', async () => {
    const open = await asked();
    const { theirs, send } = await others(open);
    open.page.receiver.bodies = [];
    const cells = theirs.getArray<YMap<unknown>>('cells');
    const source = cells.get(0).get('source') as YText;
    source.insert(0, 'theirs = 0\n');
    cells.delete(1, 1);
    send();
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
