import type { YNotebook } from '@jupyter/ydoc';
import { NotebookActions } from '@jupyterlab/notebook';
import type { Map as YMap, Text as YText } from 'yjs';

import { ApiError } from '../api/request';
import { replaceSource } from './apply';
import { OpenNotebook, Page, held, playKernel } from './tracking.fakes';

beforeAll(() => playKernel());
afterEach(() => document.body.replaceChildren());

const { splitCell, mergeCells, deleteCells, undo, redo } = NotebookActions;

/** A notebook of three cells, in the second of which a model was asked. */
async function asked(page = new Page()): Promise<OpenNotebook> {
  const open = await page.open([
    { id: 'aa', source: 'a = 1\nb = 2' },
    { id: 'bb', source: 'c = 3' },
    { id: 'cc', type: 'markdown', source: '# 标题' }
  ]);
  const model = await open.ask(1, 'c = 4');
  await model.accept();
  await open.rest();
  return open;
}

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
  it('notes what all code and Markdown cells hold, once', async () => {
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

describe('what is written by hand', () => {
  it('costs nothing while keys are pressed, and is noted when it matters', async () => {
    const open = await asked();
    const { receiver } = open.page;
    receiver.bodies = [];
    for (const text of ['p', 'pr', 'print(1)']) {
      open.type(0, text);
    }
    await open.rest();
    expect(receiver.bodies).toEqual([]);
    await open.run(0);
    const [edit, run] = receiver.events(open.id, 'aa').slice(1);
    expect(edit).toMatchObject({
      source: 'print(1)',
      data: { trigger: 'run' }
    });
    expect(run).toMatchObject({
      type: 'run',
      source: 'print(1)',
      data: { status: 'ok', outputs: { text: 'print(1)' } }
    });
    open.type(0, 'print(2)');
    await open.save();
    await open.save();
    expect(receiver.events(open.id, 'aa', 'edit').slice(2)).toMatchObject([
      { source: 'print(2)', data: { trigger: 'save' } }
    ]);
    expect(receiver.logs.get(open.id)!.at(-1)).toMatchObject({ saved: true });
  });

  it('is noted before a request, and does not say again what the request says', async () => {
    const open = await asked();
    open.type(0, 'mine');
    open.type(1, 'c = 5');
    await open.ask(1, 'c = 6');
    expect(open.kinds('aa')).toEqual(['edit', 'edit']);
    expect(open.kinds('bb')).toEqual(['turn', 'accept', 'edit', 'turn']);
  });

  it('is not lost where Accept replaces it', async () => {
    const open = await asked();
    const model = await open.ask(1, 'c = 6');
    open.type(1, 'typed meanwhile');
    await model.accept();
    await open.save();
    const events = open.page.receiver.events(open.id, 'bb').slice(1);
    expect(events.map(({ type, source }) => [type, source])).toEqual([
      ['edit', 'typed meanwhile'],
      ['accept', 'c = 6']
    ]);
  });

  it('is not lost where a program replaces it', async () => {
    const open = await asked();
    open.type(0, 'x=1');
    const model = open.panel.content.widgets[0].model.sharedModel;
    replaceSource(model as never, 'x = 1');
    await open.save();
    const edits = open.page.receiver.events(open.id, 'aa', 'edit').slice(1);
    expect(edits.map(({ source }) => source)).toEqual(['x=1', 'x = 1']);
  });

  it('is noted when the page is left or the notebook closed', async () => {
    const open = await asked();
    open.type(0, 'left');
    open.page.tracking.leave();
    await open.rest();
    open.type(0, 'closed');
    open.close();
    await open.rest();
    const edits = open.page.receiver.sessions.get(
      [...open.page.receiver.sessions.keys()].find(key => key.endsWith('/aa'))!
    )!.records;
    expect(edits.slice(1).map(({ source }) => source)).toEqual([
      'left',
      'closed'
    ]);
  });

  it('goes on its way in order when the server was away', async () => {
    jest.useFakeTimers({ doNotFake: ['performance'] });
    try {
      const open = await asked();
      const { receiver } = open.page;
      receiver.failure = new ApiError(0, 'unreachable', '');
      open.type(0, 'one');
      await open.run(0);
      await open.page.history
        .record({ notebookId: open.id, cellId: 'aa' }, [
          { type: 'restore', source: 'two' }
        ])
        .catch(() => undefined);
      open.type(0, 'three');
      await open.save();
      expect(open.page.history.isWaiting).toBe(true);
      receiver.failure = null;
      await jest.advanceTimersByTimeAsync(120_000);
      expect(open.page.history.isWaiting).toBe(false);
      expect(
        receiver.events(open.id, 'aa').map(({ type, source }) => [type, source])
      ).toEqual([
        ['edit', 'a = 1\nb = 2'],
        ['edit', 'one'],
        ['run', 'one'],
        ['restore', 'two'],
        ['edit', 'three']
      ]);
    } finally {
      jest.useRealTimers();
    }
  });
});

describe('runs', () => {
  it('are told with the error they ended with', async () => {
    const open = await asked();
    open.type(0, 'raise ValueError');
    await open.run(0);
    const [run] = open.page.receiver.events(open.id, 'aa', 'run');
    expect(run.data).toMatchObject({
      status: 'error',
      ename: 'ValueError',
      evalue: 'no',
      outputs: { text: 'ValueError: no' }
    });
    expect(run.data!.duration_ms).toBeGreaterThanOrEqual(0);
  });

  it('keep no outputs where the person doesn’t want it', async () => {
    const open = await asked();
    open.page.tracking.keepsOutputs = false;
    await open.run(0);
    const [run] = open.page.receiver.events(open.id, 'aa', 'run');
    expect(run.data).not.toHaveProperty('outputs');
  });
});

describe('cells', () => {
  it('are split: the original id stays with the last piece', async () => {
    const open = await asked();
    open.type(0, 'one\ntwo\n\nthree');
    open.cursor(0, 3);
    splitCell(open.panel.content);
    await open.rest();
    const [piece] = open.ids;
    expect(open.ids.slice(1)).toEqual(['aa', 'bb', 'cc']);
    expect(open.kinds('aa')).toEqual(['edit', 'edit', 'split']);
    expect(open.kinds(piece)).toEqual(['edit', 'edit', 'split']);
    const { receiver } = open.page;
    expect(receiver.session(open.id, piece)!.forkedFrom).toEqual({
      notebookId: open.id,
      cellId: 'aa'
    });
    const data = { pieces: [piece, 'aa'], from: 'aa' };
    expect(receiver.events(open.id, piece, 'split')).toMatchObject([
      { source: 'one', data }
    ]);
    expect(receiver.events(open.id, 'aa', 'split')).toMatchObject([
      { source: 'two\n\nthree', data }
    ]);
    undo(open.panel.content);
    await open.rest();
    expect(receiver.events(open.id, piece).at(-1)).toMatchObject({
      type: 'delete',
      source: 'one'
    });
    redo(open.panel.content);
    await open.rest();
    expect(open.kinds(piece).at(-1)).toBe('undelete');
    expect(held(receiver.session(open.id, 'aa')!.records)).toBe(
      open.sources[1]
    );
  });

  it('are merged into a new one', async () => {
    const open = await asked();
    open.select(0, 1);
    mergeCells(open.panel.content);
    await open.rest();
    const [merged] = open.ids;
    const { receiver } = open.page;
    expect(open.ids).toEqual([merged, 'cc']);
    expect(receiver.session(open.id, merged)!.parents).toEqual(['aa', 'bb']);
    expect(receiver.events(open.id, merged)).toMatchObject([
      { type: 'merge', source: 'a = 1\nb = 2\n\nc = 4' }
    ]);
    for (const id of ['aa', 'bb']) {
      expect(receiver.events(open.id, id).at(-1)).toMatchObject({
        type: 'merge',
        data: { into: merged }
      });
    }
    undo(open.panel.content);
    await open.rest();
    expect(open.kinds('aa').at(-1)).toBe('undelete');
    expect(open.kinds('bb').at(-1)).toBe('undelete');
    expect(open.kinds(merged)).toEqual(['merge', 'delete']);
    redo(open.panel.content);
    await open.rest();
    expect(open.kinds(merged)).toEqual(['merge', 'delete', 'undelete']);
    expect(receiver.events(open.id, 'aa').at(-1)).toMatchObject({
      type: 'merge'
    });
  });

  it('are copied: the copy has a history of its own that begins with the origin’s', async () => {
    const open = await asked();
    open.select(1);
    NotebookActions.copy(open.panel.content);
    open.select(2);
    NotebookActions.paste(open.panel.content);
    NotebookActions.paste(open.panel.content);
    await open.rest();
    const [first, second] = open.ids.slice(3);
    const { receiver } = open.page;
    for (const copy of [first, second]) {
      expect(open.kinds(copy)).toEqual(['turn', 'accept', 'copy']);
      expect(receiver.events(open.id, copy, 'copy')[0]).toMatchObject({
        source: 'c = 4',
        data: { from: { notebook_id: open.id, cell_id: 'bb' } }
      });
    }
    open.type(3, 'own = 1');
    await open.save();
    expect(open.kinds(first)).toEqual(['turn', 'accept', 'copy', 'edit']);
    expect(open.kinds('bb')).toEqual(['turn', 'accept']);
    expect(open.kinds(second)).toEqual(['turn', 'accept', 'copy']);
  });

  it('are copied although the origin has changed since', async () => {
    const open = await asked();
    open.select(1);
    NotebookActions.copy(open.panel.content);
    open.type(1, 'c = 99');
    NotebookActions.paste(open.panel.content);
    await open.rest();
    const copy = open.ids[2];
    const { receiver } = open.page;
    expect(receiver.session(open.id, copy)!.forkedFrom?.cellId).toBe('bb');
    expect(held(receiver.session(open.id, copy)!.records)).toBe('c = 4');
  });

  it('are copied into another notebook, and duplicated without a clipboard', async () => {
    const page = new Page();
    const one = await asked(page);
    const other = await asked(page);
    one.type(1, 'of the one');
    one.select(1);
    NotebookActions.copy(one.panel.content);
    other.select(0);
    NotebookActions.paste(other.panel.content);
    await one.rest();
    await other.rest();
    const { receiver } = page;
    expect(receiver.session(other.id, other.ids[1])!.forkedFrom).toEqual({
      notebookId: one.id,
      cellId: 'bb'
    });
    other.select(3);
    NotebookActions.duplicate(other.panel.content);
    await other.rest();
    expect(receiver.session(other.id, other.ids[4])!.forkedFrom).toEqual({
      notebookId: other.id,
      cellId: other.ids[3]
    });
  });

  it('are cut and pasted: code keeps its id, and so its history', async () => {
    const open = await asked();
    open.select(1);
    NotebookActions.cut(open.panel.content);
    open.select(0);
    NotebookActions.paste(open.panel.content);
    await open.rest();
    expect(open.ids).toEqual(['aa', 'bb', 'cc']);
    expect(open.kinds('bb')).toEqual(['turn', 'accept', 'delete', 'undelete']);
    open.select(2);
    NotebookActions.cut(open.panel.content);
    NotebookActions.paste(open.panel.content, 'above');
    await open.rest();
    const pasted = open.ids.find(id => !['aa', 'bb'].includes(id))!;
    expect(pasted).not.toBe('cc');
    const { receiver } = open.page;
    expect(receiver.session(open.id, pasted)!.forkedFrom?.cellId).toBe('cc');
  });

  it('are deleted and brought back', async () => {
    const open = await asked();
    open.select(1);
    deleteCells(open.panel.content);
    await open.rest();
    const { receiver } = open.page;
    expect(receiver.events(open.id, 'bb').at(-1)).toMatchObject({
      type: 'delete',
      source: 'c = 4',
      data: { index: 1 }
    });
    expect(receiver.logs.get(open.id)!.at(-1)!.order).toEqual(['aa', 'cc']);
    undo(open.panel.content);
    await open.rest();
    expect(receiver.events(open.id, 'bb').at(-1)).toMatchObject({
      type: 'undelete',
      source: 'c = 4'
    });
  });

  it('are moved: one event, one history', async () => {
    const open = await asked();
    open.select(0);
    NotebookActions.moveDown(open.panel.content);
    await open.rest();
    expect(open.ids).toEqual(['bb', 'aa', 'cc']);
    expect(open.kinds('aa')).toEqual(['edit', 'move']);
    expect(open.kinds('bb')).toEqual(['turn', 'accept']);
    const { receiver } = open.page;
    expect(receiver.events(open.id, 'aa', 'move')[0].data).toEqual({
      from: 0,
      to: 1
    });
    expect(receiver.logs.get(open.id)!.at(-1)!.order).toEqual([
      'bb',
      'aa',
      'cc'
    ]);
  });

  it('change their type', async () => {
    const open = await asked();
    open.select(1);
    NotebookActions.changeCellType(open.panel.content, 'markdown');
    await open.rest();
    const { receiver } = open.page;
    expect(receiver.events(open.id, 'bb').at(-1)).toMatchObject({
      type: 'type',
      source: 'c = 4',
      data: { from: 'code', to: 'markdown' }
    });
    expect(receiver.logs.get(open.id)!.at(-1)!.types!.bb).toBe('markdown');
  });

  it('are new: an empty one has no history until it is written in', async () => {
    const open = await asked();
    open.select(0);
    NotebookActions.insertBelow(open.panel.content);
    await open.rest();
    const id = open.ids[1];
    expect(open.page.receiver.session(open.id, id)).toBeNull();
    const log = open.page.receiver.logs.get(open.id)!;
    expect(log.at(-1)!.order).toEqual(['aa', id, 'bb', 'cc']);
    open.type(1, 'new = 1');
    await open.save();
    expect(open.kinds(id)).toEqual(['edit']);
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
