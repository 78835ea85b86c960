/** Tracked notebooks and cells, in one page and in several pages. */
import { NotebookActions } from '@jupyterlab/notebook';

import { SessionAwareness } from './awareness';
import { Page, openWithTurn, fakeKernel } from './tracking.fakes';
import {
  awarenessOf,
  connectClient,
  syncAwareness
} from './tracking.collaboration.fakes';

beforeAll(() => fakeKernel());
afterEach(() => document.body.replaceChildren());

describe('a notebook without an AI turn', () => {
  it('is not tracked', async () => {
    const page = new Page();
    const open = await page.open([{ id: 'aa', source: 'x' }]);
    open.type(0, 'y');
    await open.run(0);
    await open.save();
    expect(page.server.sessions.size).toBe(0);
    const withId = await page.open([{ id: 'aa', source: 'x' }], {
      notebookId: 'existing'
    });
    await withId.save();
    expect(page.server.logs.size).toBe(0);
  });
});

describe('from the first AI turn on', () => {
  it('records the sources of all cells once', async () => {
    const open = await openWithTurn();
    const { server } = open.page;
    expect(open.kinds('aa')).toEqual(['edit']);
    expect(server.events(open.id, 'aa')[0]).toMatchObject({
      source: 'a = 1\nb = 2',
      data: { trigger: 'first' },
      contributor: { kind: 'unknown' }
    });
    expect(open.kinds('bb')).toEqual(['turn', 'accept']);
    expect(open.kinds('cc')).toEqual(['edit']);
    const [entry] = server.logs.get(open.id)!;
    expect(entry.order).toEqual(['aa', 'bb', 'cc']);
    expect(entry.types).toEqual({ aa: 'code', bb: 'code', cc: 'markdown' });
  });

  it('records raw cells too', async () => {
    const open = await openWithTurn();
    open.select(2);
    NotebookActions.insertBelow(open.panel.content);
    NotebookActions.changeCellType(open.panel.content, 'raw');
    await open.settle();
    open.type(3, 'title: 报告');
    await open.save();
    const { server } = open.page;
    expect(server.events(open.id, open.ids[3]).at(-1)).toMatchObject({
      type: 'edit',
      source: 'title: 报告'
    });
  });

  it('records nothing twice when the notebook is reopened', async () => {
    const open = await openWithTurn();
    await open.save();
    const cells = open.ids.map((id, index) => ({
      id,
      type: open.panel.content.widgets[index].model.type,
      source: open.sources[index]
    }));
    const before = JSON.stringify([...open.page.server.sessions]);
    const reopened = new Page(open.page.server);
    await reopened.open(cells, { notebookId: open.id });
    expect(JSON.stringify([...open.page.server.sessions])).toBe(before);
  });

  it('records no change of line breaks only (P40)', async () => {
    const open = await openWithTurn();
    await open.save();
    const before = JSON.stringify([...open.page.server.sessions]);
    const cells = open.ids.map((id, index) => ({
      id,
      type: open.panel.content.widgets[index].model.type,
      source: open.sources[index].replace(/\n/g, '\r\n') // As git does on Windows.
    }));
    const windows = await new Page(open.page.server).open(cells, {
      notebookId: open.id
    });
    await windows.save();
    expect(JSON.stringify([...open.page.server.sessions])).toBe(before);
    expect(windows.sources).toEqual(cells.map(({ source }) => source));
  });

  it('records changes made while the notebook was closed', async () => {
    const open = await openWithTurn();
    const reopened = new Page(open.page.server);
    const cells = [{ id: 'aa', source: 'outside = 1' }];
    await reopened.open(cells, { notebookId: open.id });
    expect(open.kinds('aa')).toEqual(['edit', 'edit']);
  });

  it('changes nothing in the notebook except the id (P37)', async () => {
    const open = await openWithTurn();
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

describe('changes of other pages', () => {
  it('are announced once in both directions', async () => {
    const open = await openWithTurn();
    const { Awareness, applyAwarenessUpdate, encodeAwarenessUpdate } =
      await import('y-protocols/awareness');
    const { Doc } = await import('yjs');
    const [ours, theirs] = [awarenessOf(open), new Awareness(new Doc())];
    const [received, shown]: string[][] = [[], []];
    const remote = new SessionAwareness(theirs, cellId =>
      received.push(cellId)
    );
    open.page.history.changed.connect((_, { cellId, isRemote }) =>
      shown.push(`${cellId} ${isRemote ? 'theirs' : 'ours'}`)
    );
    // Earlier writes are announced too, because the other page's views may be outdated.
    await syncAwareness(ours, theirs);
    expect([...received].sort()).toEqual(['aa', 'bb', 'cc']);
    received.length = 0;
    remote.announce('bb');
    remote.announce('aa');
    await syncAwareness(theirs, ours);
    await syncAwareness(theirs, ours);
    expect(shown).toEqual(['bb theirs', 'aa theirs']);
    remote.announce('bb');
    await syncAwareness(theirs, ours);
    expect(shown.splice(0)).toEqual(['bb theirs', 'aa theirs', 'bb theirs']);
    open.type(0, 'mine = 1');
    await open.save();
    const ownCells = new Set(shown.map(each => each.replace(' ours', '')));
    expect(ownCells).toContain('aa');
    await syncAwareness(ours, theirs);
    await syncAwareness(ours, theirs);
    expect([...received].sort()).toEqual([...ownCells].sort());
    // A moved cursor, a malformed state and a write after the notebook was closed do nothing.
    theirs.setLocalStateField('cursors', []);
    await syncAwareness(theirs, ours);
    theirs.setLocalStateField('aiserver_kept', [7, []]);
    await syncAwareness(theirs, ours);
    open.close();
    remote.announce('aa');
    await syncAwareness(theirs, ours);
    expect(shown.filter(each => each.endsWith('theirs'))).toEqual([]);
    // Many cells are announced in a few small messages.
    const cells = Array.from({ length: 1000 }, (_, cell) => `cell-${cell}`);
    const sent = jest.fn();
    const receivedCells: string[] = [];
    theirs.on('update', sent);
    const listener = new SessionAwareness(ours, cellId =>
      receivedCells.push(cellId)
    );
    const relay = () =>
      applyAwarenessUpdate(
        ours,
        encodeAwarenessUpdate(theirs, [theirs.clientID]),
        null
      );
    theirs.on('update', relay);
    cells.forEach(cellId => remote.announce(cellId));
    await Promise.resolve();
    expect(sent).toHaveBeenCalledTimes(20);
    expect(receivedCells).toEqual(cells);
    expect(JSON.stringify(theirs.getLocalState()).length).toBeLessThan(2000);
    // Another view of the same notebook doesn't announce the older cells again.
    const view = new SessionAwareness(theirs, () => undefined);
    view.announce('cell-999');
    await Promise.resolve();
    expect(receivedCells).toEqual([...cells, 'cell-999']);
    theirs.off('update', relay);
    [listener, view].forEach(each => each.dispose());
    remote.dispose();
    theirs.destroy();
  });

  it('start the watch if they contain the first turn', async () => {
    const page = new Page();
    const cells = [{ id: 'aa', source: 'x' }];
    const options = { notebookId: 'shared' };
    const hers = await page.open(cells, options);
    const his = await new Page(page.server).open(cells, options);
    await hers.ask(0, 'y');
    await syncAwareness(awarenessOf(hers), awarenessOf(his));
    await his.settle();
    his.type(0, 'z');
    await his.save();
    expect(his.kinds('aa')).toEqual(['turn', 'edit']);
  });

  it('update the mirror and are recorded only by the other pages', async () => {
    const open = await openWithTurn();
    const { cells, source, send } = await connectClient(open, {
      aiserver_watches: true
    });
    open.page.server.bodies = [];
    source(0).insert(0, 'theirs = 0\n');
    cells.delete(1, 1);
    send();
    await open.settle();
    expect(open.ids).toEqual(['aa', 'cc']);
    expect(open.page.server.bodies).toEqual([]);
    open.page.tracking.captureAll();
    await open.settle();
    expect(open.page.server.bodies).toEqual([]);
    open.type(0, 'mine = 1');
    await open.save();
    expect(open.kinds('aa')).toEqual(['edit', 'edit']);
    expect(open.kinds('bb')).toEqual(['turn', 'accept']);
  });
});

describe('the setting', () => {
  it('limits tracking to cells with a turn', async () => {
    const page = new Page();
    page.tracking.scope = 'ai';
    const open = await openWithTurn(page);
    open.type(0, 'x');
    open.type(1, 'y');
    await open.run(0);
    await open.run(1);
    expect(page.server.session(open.id, 'aa')).toBeNull();
    expect(open.kinds('bb')).toEqual(['turn', 'accept', 'edit', 'run']);
    const model = await open.ask(0, 'asked = 1');
    await model.decision.accept();
    open.type(0, 'then');
    await open.save();
    expect(open.kinds('aa')).toEqual(['turn', 'accept', 'edit']);
  });

  it('turns tracking off and on', async () => {
    const page = new Page();
    page.tracking.scope = 'off';
    const open = await openWithTurn(page);
    open.type(0, 'x');
    await open.save();
    expect(page.server.bodies).toEqual([]);
    page.tracking.scope = 'all';
    await open.settle();
    expect(open.kinds('aa')).toEqual(['edit']);
  });
});
