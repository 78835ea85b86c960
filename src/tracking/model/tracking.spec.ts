/** Which notebooks and cells are followed, and by whom. */
import { NotebookActions } from '@jupyterlab/notebook';

import { Others } from './awareness';
import { Page, asked, playKernel } from './tracking.fakes';
import { awarenessOf, other, pass } from './tracking.others.fakes';

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
  it('are heard as soon as they are kept, and ours are told, each once', async () => {
    const open = await asked();
    const { Awareness, applyAwarenessUpdate, encodeAwarenessUpdate } =
      await import('y-protocols/awareness');
    const { Doc } = await import('yjs');
    const [ours, theirs] = [awarenessOf(open), new Awareness(new Doc())];
    const [heard, shown]: string[][] = [[], []];
    const teller = new Others(theirs, cellId => heard.push(cellId));
    open.page.history.changed.connect((_, { cellId, isRemote }) =>
      shown.push(`${cellId} ${isRemote ? 'theirs' : 'ours'}`)
    );
    // What was kept before they came: whatever they had on show by then may be old.
    await pass(ours, theirs);
    expect([...heard].sort()).toEqual(['aa', 'bb', 'cc']);
    heard.length = 0;
    teller.announce('bb');
    teller.announce('aa');
    await pass(theirs, ours);
    await pass(theirs, ours);
    expect(shown).toEqual(['bb theirs', 'aa theirs']);
    teller.announce('bb');
    await pass(theirs, ours);
    expect(shown.splice(0)).toEqual(['bb theirs', 'aa theirs', 'bb theirs']);
    open.type(0, 'mine = 1');
    await open.save();
    const told = new Set(shown.map(each => each.replace(' ours', '')));
    expect(told).toContain('aa');
    await pass(ours, theirs);
    await pass(ours, theirs);
    expect([...heard].sort()).toEqual([...told].sort());
    // A cursor moves, somebody writes nonsense, the notebook is closed.
    theirs.setLocalStateField('cursors', []);
    await pass(theirs, ours);
    theirs.setLocalStateField('aiserver_kept', [7, []]);
    await pass(theirs, ours);
    open.close();
    teller.announce('aa');
    await pass(theirs, ours);
    expect(shown.filter(each => each.endsWith('theirs'))).toEqual([]);
    // Many cells at once are few messages, each a small one, and all of them are heard.
    const cells = Array.from({ length: 1000 }, (_, cell) => `cell-${cell}`);
    const sent = jest.fn();
    const heardOf: string[] = [];
    theirs.on('update', sent);
    const listener = new Others(ours, cellId => heardOf.push(cellId));
    const relay = () =>
      applyAwarenessUpdate(
        ours,
        encodeAwarenessUpdate(theirs, [theirs.clientID]),
        null
      );
    theirs.on('update', relay);
    cells.forEach(cellId => teller.announce(cellId));
    await Promise.resolve();
    expect(sent).toHaveBeenCalledTimes(20);
    expect(heardOf).toEqual(cells);
    expect(JSON.stringify(theirs.getLocalState()).length).toBeLessThan(2000);
    // Another view of the same notebook says no older thing.
    const view = new Others(theirs, () => undefined);
    view.announce('cell-999');
    await Promise.resolve();
    expect(heardOf).toEqual([...cells, 'cell-999']);
    theirs.off('update', relay);
    [listener, view].forEach(each => each.dispose());
    teller.dispose();
    theirs.destroy();
  });

  it('begin the watch, where they were the first to ask', async () => {
    const page = new Page();
    const cells = [{ id: 'aa', source: 'x' }];
    const known = { notebookId: 'shared' };
    const hers = await page.open(cells, known);
    const his = await new Page(page.receiver).open(cells, known);
    await hers.ask(0, 'y');
    await pass(awarenessOf(hers), awarenessOf(his));
    await his.rest();
    his.type(0, 'z');
    await his.save();
    expect(his.kinds('aa')).toEqual(['turn', 'edit']);
  });

  it('are followed, and recorded by them alone', async () => {
    const open = await asked();
    const { cells, source, send } = await other(open, {
      aiserver_watches: true
    });
    open.page.receiver.bodies = [];
    source(0).insert(0, 'theirs = 0\n');
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
