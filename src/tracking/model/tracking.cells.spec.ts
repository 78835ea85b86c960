/** What is noted of cells that come, go, move and change as wholes. */
import { NotebookActions } from '@jupyterlab/notebook';

import { Page, asked, playKernel } from './tracking.fakes';
import { held } from './tracking.receiver.fakes';

beforeAll(() => playKernel());
afterEach(() => document.body.replaceChildren());

const { splitCell, mergeCells, deleteCells, undo, redo } = NotebookActions;

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

  it('are copied into a notebook that is not known yet: with its first turn they are copies', async () => {
    const page = new Page();
    const one = await asked(page);
    const other = await page.open([{ id: 'ee', source: 'e = 5' }]);
    one.select(1);
    NotebookActions.copy(one.panel.content);
    NotebookActions.paste(other.panel.content);
    NotebookActions.paste(other.panel.content);
    one.select(0);
    NotebookActions.copy(one.panel.content);
    NotebookActions.paste(other.panel.content);
    const [, first, second, third] = other.ids;
    other.select(2);
    deleteCells(other.panel.content);
    await other.save();
    const { receiver } = page;
    // Nothing is told before a model is asked.
    expect(receiver.logs.size).toBe(1);
    other.type(1, 'c = 7');
    const model = await other.ask(1, 'c = 8');
    await model.accept();
    await other.save();
    expect(other.id).not.toBe(one.id);
    expect(receiver.session(other.id, first)!.forkedFrom).toEqual({
      notebookId: one.id,
      cellId: 'bb'
    });
    expect(other.kinds(first)).toEqual([
      'turn',
      'accept',
      'copy',
      'edit',
      'turn',
      'accept'
    ]);
    expect(other.kinds(third)).toEqual(['edit', 'copy']);
    expect(receiver.session(other.id, second)).toBeNull();
    expect(other.kinds('ee')).toEqual(['edit']);
    expect(one.kinds('bb')).toEqual(['turn', 'accept']);
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
