/** Insertions, deletions, moves, splits, merges, copies and type changes. */
import { NotebookActions } from '@jupyterlab/notebook';

import { Page, openWithTurn, fakeKernel } from './tracking.fakes';
import { lastSource } from './tracking.server.fakes';

beforeAll(() => fakeKernel());
afterEach(() => document.body.replaceChildren());

const { splitCell, mergeCells, deleteCells, undo, redo } = NotebookActions;

describe('operations on cells', () => {
  it('record a split, where the original id stays with the last piece', async () => {
    const open = await openWithTurn();
    open.type(0, 'one\ntwo\n\nthree');
    open.cursor(0, 3);
    splitCell(open.panel.content);
    await open.settle();
    const [piece] = open.ids;
    expect(open.ids.slice(1)).toEqual(['aa', 'bb', 'cc']);
    expect(open.kinds('aa')).toEqual(['edit', 'edit', 'split']);
    expect(open.kinds(piece)).toEqual(['edit', 'edit', 'split']);
    const { server } = open.page;
    expect(server.session(open.id, piece)!.forkedFrom).toEqual({
      notebookId: open.id,
      cellId: 'aa'
    });
    const data = { pieces: [piece, 'aa'], from: 'aa' };
    expect(server.events(open.id, piece, 'split')).toMatchObject([
      { source: 'one', data }
    ]);
    expect(server.events(open.id, 'aa', 'split')).toMatchObject([
      { source: 'two\n\nthree', data }
    ]);
    undo(open.panel.content);
    await open.settle();
    expect(server.events(open.id, piece).at(-1)).toMatchObject({
      type: 'delete',
      source: 'one'
    });
    redo(open.panel.content);
    await open.settle();
    expect(open.kinds(piece).at(-1)).toBe('undelete');
    expect(lastSource(server.session(open.id, 'aa')!.records)).toBe(
      open.sources[1]
    );
  });

  it('record a merge into a new cell', async () => {
    const open = await openWithTurn();
    open.select(0, 1);
    mergeCells(open.panel.content);
    await open.settle();
    const [merged] = open.ids;
    const { server } = open.page;
    expect(open.ids).toEqual([merged, 'cc']);
    expect(server.session(open.id, merged)!.parents).toEqual(['aa', 'bb']);
    expect(server.events(open.id, merged)).toMatchObject([
      { type: 'merge', source: 'a = 1\nb = 2\n\nc = 4' }
    ]);
    for (const id of ['aa', 'bb']) {
      expect(server.events(open.id, id).at(-1)).toMatchObject({
        type: 'merge',
        data: { into: merged }
      });
    }
    undo(open.panel.content);
    await open.settle();
    expect(open.kinds('aa').at(-1)).toBe('undelete');
    expect(open.kinds('bb').at(-1)).toBe('undelete');
    expect(open.kinds(merged)).toEqual(['merge', 'delete']);
    redo(open.panel.content);
    await open.settle();
    expect(open.kinds(merged)).toEqual(['merge', 'delete', 'undelete']);
    expect(server.events(open.id, 'aa').at(-1)).toMatchObject({
      type: 'merge'
    });
  });

  it('record a copy, whose history starts with the origin’s', async () => {
    const open = await openWithTurn();
    open.select(1);
    NotebookActions.copy(open.panel.content);
    open.select(2);
    NotebookActions.paste(open.panel.content);
    NotebookActions.paste(open.panel.content);
    await open.settle();
    const [first, second] = open.ids.slice(3);
    const { server } = open.page;
    for (const copy of [first, second]) {
      expect(open.kinds(copy)).toEqual(['turn', 'accept', 'copy']);
      expect(server.events(open.id, copy, 'copy')[0]).toMatchObject({
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

  it('record a copy although the origin has changed', async () => {
    const open = await openWithTurn();
    open.select(1);
    NotebookActions.copy(open.panel.content);
    open.type(1, 'c = 99');
    NotebookActions.paste(open.panel.content);
    await open.settle();
    const copy = open.ids[2];
    const { server } = open.page;
    expect(server.session(open.id, copy)!.forkedFrom?.cellId).toBe('bb');
    expect(lastSource(server.session(open.id, copy)!.records)).toBe('c = 4');
  });

  it('record copies into another notebook and duplicates without a clipboard', async () => {
    const page = new Page();
    const source = await openWithTurn(page);
    const target = await openWithTurn(page);
    source.type(1, 'of the source');
    source.select(1);
    NotebookActions.copy(source.panel.content);
    target.select(0);
    NotebookActions.paste(target.panel.content);
    await source.settle();
    await target.settle();
    const { server } = page;
    expect(server.session(target.id, target.ids[1])!.forkedFrom).toEqual({
      notebookId: source.id,
      cellId: 'bb'
    });
    target.select(3);
    NotebookActions.duplicate(target.panel.content);
    await target.settle();
    expect(server.session(target.id, target.ids[4])!.forkedFrom).toEqual({
      notebookId: target.id,
      cellId: target.ids[3]
    });
  });

  it('record copies into an untracked notebook with its first turn', async () => {
    const page = new Page();
    const source = await openWithTurn(page);
    const target = await page.open([{ id: 'ee', source: 'e = 5' }]);
    source.select(1);
    NotebookActions.copy(source.panel.content);
    NotebookActions.paste(target.panel.content);
    NotebookActions.paste(target.panel.content);
    source.select(0);
    NotebookActions.copy(source.panel.content);
    NotebookActions.paste(target.panel.content);
    const [, first, second, third] = target.ids;
    target.select(2);
    deleteCells(target.panel.content);
    await target.save();
    const { server } = page;
    // Nothing is sent before the first turn.
    expect(server.logs.size).toBe(1);
    target.type(1, 'c = 7');
    const model = await target.ask(1, 'c = 8');
    await model.decision.accept();
    await target.save();
    expect(target.id).not.toBe(source.id);
    expect(server.session(target.id, first)!.forkedFrom).toEqual({
      notebookId: source.id,
      cellId: 'bb'
    });
    expect(target.kinds(first)).toEqual([
      'turn',
      'accept',
      'copy',
      'edit',
      'turn',
      'accept'
    ]);
    expect(target.kinds(third)).toEqual(['edit', 'copy']);
    expect(server.session(target.id, second)).toBeNull();
    expect(target.kinds('ee')).toEqual(['edit']);
    expect(source.kinds('bb')).toEqual(['turn', 'accept']);
  });

  it('keep the id and history of a code cell that is cut and pasted', async () => {
    const open = await openWithTurn();
    open.select(1);
    NotebookActions.cut(open.panel.content);
    open.select(0);
    NotebookActions.paste(open.panel.content);
    await open.settle();
    expect(open.ids).toEqual(['aa', 'bb', 'cc']);
    expect(open.kinds('bb')).toEqual(['turn', 'accept', 'delete', 'undelete']);
    open.select(2);
    NotebookActions.cut(open.panel.content);
    NotebookActions.paste(open.panel.content, 'above');
    await open.settle();
    const pasted = open.ids.find(id => !['aa', 'bb'].includes(id))!;
    expect(pasted).not.toBe('cc');
    const { server } = open.page;
    expect(server.session(open.id, pasted)!.forkedFrom?.cellId).toBe('cc');
  });

  it('record a deletion and its undo', async () => {
    const open = await openWithTurn();
    open.select(1);
    deleteCells(open.panel.content);
    await open.settle();
    const { server } = open.page;
    expect(server.events(open.id, 'bb').at(-1)).toMatchObject({
      type: 'delete',
      source: 'c = 4',
      data: { index: 1 }
    });
    expect(server.logs.get(open.id)!.at(-1)!.order).toEqual(['aa', 'cc']);
    undo(open.panel.content);
    await open.settle();
    expect(server.events(open.id, 'bb').at(-1)).toMatchObject({
      type: 'undelete',
      source: 'c = 4'
    });
  });

  it('record a move as one event', async () => {
    const open = await openWithTurn();
    open.select(0);
    NotebookActions.moveDown(open.panel.content);
    await open.settle();
    expect(open.ids).toEqual(['bb', 'aa', 'cc']);
    expect(open.kinds('aa')).toEqual(['edit', 'move']);
    expect(open.kinds('bb')).toEqual(['turn', 'accept']);
    const { server } = open.page;
    expect(server.events(open.id, 'aa', 'move')[0].data).toEqual({
      from: 0,
      to: 1
    });
    expect(server.logs.get(open.id)!.at(-1)!.order).toEqual(['bb', 'aa', 'cc']);
  });

  it('record a change of type', async () => {
    const open = await openWithTurn();
    open.select(1);
    NotebookActions.changeCellType(open.panel.content, 'markdown');
    await open.settle();
    const { server } = open.page;
    expect(server.events(open.id, 'bb').at(-1)).toMatchObject({
      type: 'type',
      source: 'c = 4',
      data: { from: 'code', to: 'markdown' }
    });
    expect(server.logs.get(open.id)!.at(-1)!.types!.bb).toBe('markdown');
  });

  it('create no session for a new empty cell', async () => {
    const open = await openWithTurn();
    open.select(0);
    NotebookActions.insertBelow(open.panel.content);
    await open.settle();
    const id = open.ids[1];
    expect(open.page.server.session(open.id, id)).toBeNull();
    const log = open.page.server.logs.get(open.id)!;
    expect(log.at(-1)!.order).toEqual(['aa', id, 'bb', 'cc']);
    open.type(1, 'new = 1');
    await open.save();
    expect(open.kinds(id)).toEqual(['edit']);
  });
});
