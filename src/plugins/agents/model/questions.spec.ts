/** An agent's changes of an open notebook, with JupyterLab's own models, and tracking. */
import type { YNotebook } from '@jupyter/ydoc';
import { NotebookActions } from '@jupyterlab/notebook';

import { digestOf } from '../../../cells/source';
import {
  type OpenNotebook as Open,
  Page,
  fakeKernel,
  openWithTurn
} from '../../../tracking/model/tracking.fakes';
import { setFeatures } from '../../../state/features.fakes';
import type { Operation } from '../../../cells/operations';
import { Questions } from './questions';

const RUN = 'ab'.repeat(16);
const AUTHOR = {
  contributor: { kind: 'agent', name: 'Claude Code', version: '2.1' },
  run: RUN,
  data: { intent: 'tidy the dates', tool: 'edit_cell', call: '7', via: 'mcp' }
} as const;

function ask(open: Open) {
  const { identity, tracking } = open.page;
  const find = (path: string) =>
    path === open.panel.context.localPath ? open.panel : null;
  const askPerson = async () => null;
  const questions = new Questions({ find, identity, tracking, askPerson });
  const { localPath: path } = open.panel.context;
  const shared = (id: string) =>
    open.panel.context.model.sharedModel.cells.find(cell => cell.id === id)!;
  return {
    questions,
    path,
    edit: (cell: string, source: string): Operation => ({
      op: 'edit',
      cell,
      base: digestOf(shared(cell)),
      source
    }),
    delete: (cell: string): Operation => ({
      op: 'delete',
      cell,
      base: digestOf(shared(cell))
    }),
    apply: async (...operations: Operation[]) => {
      const question = { id: 'q', type: 'apply', path } as const;
      const answer = await questions.answer({
        ...question,
        operations,
        author: AUTHOR
      });
      await open.settle();
      return answer;
    }
  };
}

const insert = (
  cell: string,
  source: string,
  after: string | null
): Operation => ({ op: 'insert', cell, type: 'code', source, after });

const events = (open: Open, cell: string) =>
  open.page.server.events(open.id, cell);

beforeAll(() => fakeKernel());
afterEach(() => {
  setFeatures();
  document.body.replaceChildren();
});

describe('an edit by an agent', () => {
  it('is written and recorded once, as the agent’s', async () => {
    const open = await openWithTurn();
    const t = ask(open);
    const edit = t.edit('aa', 'a = 1\nb = 3');
    expect(await t.apply(edit)).toEqual({
      type: 'done',
      cells: [{ id: 'aa', type: 'code', source: 'a = 1\nb = 3' }],
      order: ['aa', 'bb', 'cc']
    });
    const [first, ...others] = events(open, 'aa');
    expect(first).toMatchObject({ data: { trigger: 'first' } });
    expect(others).toHaveLength(1);
    expect(others[0]).toMatchObject({
      type: 'edit',
      source: 'a = 1\nb = 3',
      contributor: AUTHOR.contributor,
      run: RUN
    });
    const { base } = edit as { base: string };
    expect(others[0].data).toEqual({ ...AUTHOR.data, base });
    await open.save();
    expect(events(open, 'aa')).toHaveLength(2);
  });

  it('is one event for each, also of the same cell, and what a person types stays theirs', async () => {
    const open = await openWithTurn();
    const t = ask(open);
    open.type(0, 'x', 100);
    await t.apply(t.edit('aa', 'a = 1'));
    await t.apply(t.edit('aa', 'a = 2'));
    open.type(0, '3', 4);
    await open.save();
    expect(
      events(open, 'aa').map(({ source, contributor, run }) => [
        source,
        contributor?.kind,
        run
      ])
    ).toEqual([
      ['a = 1\nb = 2', 'unknown', undefined],
      ['a = 1\nb = 2x', 'person', undefined],
      ['a = 1', 'agent', RUN],
      ['a = 2', 'agent', RUN],
      ['a = 3', 'person', undefined]
    ]);
  });

  it('is undone by one undo in the cell', async () => {
    const open = await openWithTurn();
    const t = ask(open);
    open.type(0, ' # note', 100);
    await t.apply(t.edit('aa', 'x = 1\ny = 2\nz = 3'));
    const { editor } = open.panel.content.widgets[0];
    editor!.undo();
    expect(open.sources[0]).toBe('a = 1\nb = 2 # note');
  });

  it('is refused if the source has changed, and changes nothing', async () => {
    const open = await openWithTurn();
    const t = ask(open);
    const late = t.edit('aa', 'late');
    open.type(0, 'typed');
    const { sources } = open;
    const before = JSON.stringify([...open.page.server.sessions]);
    expect(await t.apply(late, t.edit('bb', 'also'))).toEqual({
      type: 'refused',
      code: 'stale',
      cells: [{ id: 'aa', source: 'typed' }]
    });
    expect(open.sources).toEqual(sources);
    expect(JSON.stringify([...open.page.server.sessions])).toBe(before);
  });

  it('is compared with the line breaks that the cell has', async () => {
    const open = await openWithTurn();
    const t = ask(open);
    await t.apply(insert('dd', 'a\r\nb', null));
    const base =
      '18745f36a05e29072709042d6062ce54f1b08ff36c27ba80c39f81fb010c8ce2';
    const deletion = t.delete('dd');
    expect(deletion).toMatchObject({ base }); // as Python calculates it
    expect(await t.apply(deletion)).toMatchObject({ type: 'done' });
  });

  it('is made even if another one begins at once, before the history is read', async () => {
    const page = new Page();
    const cells = [
      { id: 'aa', source: 'a' },
      { id: 'bb', source: 'b' }
    ];
    const open = await page.open(cells, { notebookId: 'two' });
    const t = ask(open);
    const answers = await Promise.all([
      t.apply(t.edit('aa', 'A')),
      t.apply(t.edit('bb', 'B'))
    ]);
    expect(answers.map(({ type }) => type)).toEqual(['done', 'done']);
    expect(open.kinds('aa')).toEqual(['edit', 'edit']);
    expect(open.kinds('bb')).toEqual(['edit', 'edit']);
  });

  it('leaves the focus where it is, and the cursor of the person', async () => {
    const open = await openWithTurn();
    const t = ask(open);
    open.cursor(0, 5);
    open.panel.content.mode = 'edit';
    const field = document.body.appendChild(document.createElement('input'));
    field.focus();
    await t.apply(t.edit('aa', '# new\na = 1\nb = 2'));
    await t.apply(insert('dd', 'd', null));
    expect(document.activeElement).toBe(field);
    const { editor } = open.panel.content.widgets[1];
    const position = editor!.getCursorPosition();
    expect(editor!.getOffsetAt(position)).toBe(5 + '# new\n'.length);
  });

  it('says what is there if a listener fails', async () => {
    const open = await openWithTurn();
    const t = ask(open);
    const error = jest.spyOn(console, 'error').mockReturnValue(undefined);
    const { sharedModel } = open.panel.context.model;
    const fail = () => {
      throw new Error('listener');
    };
    (sharedModel as YNotebook).ydoc.on('afterTransaction', fail);
    const answer = await t.apply(t.edit('aa', 'x'));
    (sharedModel as YNotebook).ydoc.off('afterTransaction', fail);
    expect(answer).toMatchObject({ type: 'done', cells: [{ source: 'x' }] });
    expect(error).toHaveBeenCalled();
    error.mockRestore();
  });
});

describe('several changes by an agent', () => {
  it('are recorded as insertion, edit, deletion and move', async () => {
    const open = await openWithTurn();
    const t = ask(open);
    const answer = await t.apply(
      insert('dd', 'new = 1', 'aa'),
      insert('ee', '', 'dd'),
      t.edit('bb', 'c = 5'),
      t.delete('aa'),
      { op: 'move', cell: 'cc', after: null }
    );
    expect(answer).toEqual({
      type: 'done',
      cells: [
        { id: 'cc', type: 'markdown', source: '# 标题' },
        { id: 'dd', type: 'code', source: 'new = 1' },
        { id: 'ee', type: 'code', source: '' },
        { id: 'bb', type: 'code', source: 'c = 5' }
      ],
      order: ['cc', 'dd', 'ee', 'bb']
    });
    const last = (cell: string) => events(open, cell).at(-1);
    const { data } = AUTHOR;
    const own = { contributor: AUTHOR.contributor, run: RUN };
    expect(events(open, 'dd')).toHaveLength(1);
    expect(last('dd')).toMatchObject({
      ...own,
      type: 'edit',
      source: 'new = 1'
    });
    expect(last('dd')!.data).toEqual({ ...data, inserted: true });
    expect(last('ee')).toMatchObject({
      ...own,
      source: '',
      data: { inserted: true }
    });
    expect(last('bb')).toMatchObject({ ...own, type: 'edit', source: 'c = 5' });
    expect(last('aa')).toMatchObject({ ...own, type: 'delete', data });
    expect(last('cc')).toMatchObject({ ...own, type: 'move', data });
    const entry = open.page.server.logs.get(open.id)!.at(-1)!;
    expect(entry.order).toEqual(['cc', 'dd', 'ee', 'bb']);
  });

  it('are no split, merge or copy, whatever they look like', async () => {
    const open = await openWithTurn();
    const t = ask(open);
    await t.apply(insert('dd', 'a = 1', null), t.edit('aa', 'b = 2'));
    await t.apply(insert('ee', 'c = 4', 'bb'));
    await t.apply(
      t.delete('dd'),
      t.delete('aa'),
      insert('ff', 'a = 1\n\nb = 2', null)
    );
    expect(open.kinds('dd')).toEqual(['edit', 'delete']);
    expect(open.kinds('aa')).toEqual(['edit', 'edit', 'delete']);
    expect(open.kinds('ee')).toEqual(['edit']);
    expect(open.kinds('ff')).toEqual(['edit']);
    expect(open.page.server.session(open.id, 'ee')!.forkedFrom).toBeUndefined();
  });

  it('are a split or a merge if the agent says so', async () => {
    const open = await openWithTurn();
    const t = ask(open);
    const base = { path: t.path, id: 'q', type: 'apply' } as const;
    const apply = async (
      structure: 'split' | 'merge',
      ...operations: Operation[]
    ) => {
      const author = { ...AUTHOR, structure };
      await t.questions.answer({ ...base, operations, author });
      await open.settle();
    };
    await apply('split', insert('dd', 'a = 1', null), t.edit('aa', 'b = 2'));
    const last = (cell: string) => events(open, cell).at(-1);
    const own = { contributor: AUTHOR.contributor, run: RUN };
    const split = { ...AUTHOR.data, pieces: ['dd', 'aa'], from: 'aa' };
    expect(last('dd')).toMatchObject({
      ...{ ...own, type: 'split', source: 'a = 1' },
      data: { ...split, inserted: true }
    });
    expect(last('aa')).toMatchObject({
      ...{ ...own, type: 'split', source: 'b = 2' },
      data: split
    });
    const { forkedFrom } = open.page.server.session(open.id, 'dd')!;
    expect(forkedFrom).toBeDefined();
    await apply(
      'merge',
      insert('ee', 'a = 1\n\nb = 2', null),
      t.delete('dd'),
      t.delete('aa')
    );
    expect(last('ee')).toMatchObject({
      ...{ ...own, type: 'merge', source: 'a = 1\n\nb = 2' },
      data: { parents: ['dd', 'aa'], inserted: true }
    });
    for (const parent of ['dd', 'aa']) {
      expect(last(parent)).toMatchObject({
        ...{ ...own, type: 'merge' },
        data: { into: 'ee' }
      });
    }
    expect(open.page.server.session(open.id, 'ee')!.parents).toEqual([
      'dd',
      'aa'
    ]);
    NotebookActions.undo(open.panel.content);
    expect(open.sources.slice(0, 2)).toEqual(['a = 1', 'b = 2']);
  });

  it.each([false, true])(
    'are undone by one undo (in the whole document: %s)',
    async documentWideUndo => {
      const page = new Page();
      const open = await page.open(
        [
          { id: 'aa', source: 'a' },
          { id: 'bb', source: 'b' }
        ],
        { notebookId: 'nb', documentWideUndo }
      );
      const t = ask(open);
      await t.apply(
        t.edit('bb', 'B'),
        insert('cc', 'c', 'bb'),
        { op: 'move', cell: 'bb', after: 'cc' },
        t.delete('aa')
      );
      expect(open.sources).toEqual(['c', 'B']);
      NotebookActions.undo(open.panel.content);
      expect(open.sources).toEqual(['a', 'b']);
      expect(open.ids).toEqual(['aa', 'bb']);
      NotebookActions.redo(open.panel.content);
      expect(open.sources).toEqual(['c', 'B']);
    }
  );

  it('keep the active cell', async () => {
    const open = await openWithTurn();
    const t = ask(open);
    open.select(1);
    await t.apply(insert('dd', 'd', null), {
      op: 'move',
      cell: 'bb',
      after: 'cc'
    });
    expect(open.panel.content.activeCell!.model.id).toBe('bb');
    expect(open.ids).toEqual(['dd', 'aa', 'cc', 'bb']);
  });

  it('are refused if a cell is missing, exists already or is protected', async () => {
    const open = await openWithTurn();
    const t = ask(open);
    const missing = { op: 'move', cell: 'no', after: 'nowhere' } as const;
    expect(await t.apply(missing, insert('aa', '', null))).toMatchObject({
      code: 'stale',
      cells: [
        { id: 'no', source: null },
        { id: 'nowhere', source: null },
        { id: 'aa', source: 'a = 1\nb = 2' }
      ]
    });
    const { sharedModel } = open.panel.content.widgets[0].model;
    sharedModel.setMetadata('editable', false);
    sharedModel.setMetadata('deletable', false);
    for (const operation of [t.edit('aa', 'x'), t.delete('aa')]) {
      expect(await t.apply(operation)).toMatchObject({
        code: 'read_only',
        cells: [{ id: 'aa' }]
      });
    }
    open.panel.context.model.readOnly = true;
    expect(await t.apply(t.edit('bb', 'x'))).toEqual({
      type: 'refused',
      code: 'read_only',
      cells: []
    });
    expect(open.sources).toEqual(['a = 1\nb = 2', 'c = 4', '# 标题']);
  });
});

describe('a notebook without a history', () => {
  it('has one from the first edit by an agent on, and gets an id', async () => {
    const page = new Page();
    const open = await page.open([
      { id: 'aa', source: 'a' },
      { id: 'bb', source: 'b' }
    ]);
    const t = ask(open);
    await t.apply(t.edit('aa', 'A'));
    expect(
      events(open, 'aa').map(({ source, contributor }) => [
        source,
        contributor?.kind
      ])
    ).toEqual([
      ['a', 'unknown'],
      ['A', 'agent']
    ]);
    open.type(1, 'B');
    await open.save();
    expect(events(open, 'bb').at(-1)).toMatchObject({
      source: 'B',
      contributor: { kind: 'person' }
    });
    const again = await open.reopen();
    again.type(1, 'C');
    await again.save();
    expect(events(again, 'bb').at(-1)).toMatchObject({
      source: 'C',
      contributor: { kind: 'person' }
    });
  });

  it('has only the cells of the agent if tracking is off', async () => {
    const page = new Page();
    page.tracking.scope = 'off';
    const cells = [
      { id: 'aa', source: 'a' },
      { id: 'bb', source: 'b' }
    ];
    const open = await page.open(cells, { notebookId: 'off' });
    const t = ask(open);
    await t.apply(t.edit('aa', 'A'), insert('cc', 'c', 'bb'));
    open.type(0, 'typed');
    await open.save();
    expect(open.kinds('aa')).toEqual(['edit', 'edit']);
    expect(open.kinds('cc')).toEqual(['edit']);
    expect(open.kinds('bb')).toEqual([]);
    expect(events(open, 'aa').at(-1)).toMatchObject({ source: 'A', run: RUN });
  });

  it('isn’t changed while its history can’t be read', async () => {
    const page = new Page();
    const open = await page.open([{ id: 'aa', source: 'a' }], {
      notebookId: 'down'
    });
    page.server.failure = new Error('down');
    const t = ask(open);
    expect(await t.apply(t.edit('aa', 'A'))).toMatchObject({ code: 'busy' });
    expect(open.sources).toEqual(['a']);
  });
});

describe('other questions', () => {
  it('reads the cells as they are now', async () => {
    const open = await openWithTurn();
    open.type(0, 'typed');
    const { path, questions } = ask(open);
    const answer = await questions.answer({ id: 'q', type: 'read', path });
    expect(answer).toMatchObject({
      type: 'cells',
      notebookId: open.id,
      cells: [{ id: 'aa', source: 'typed' }, { id: 'bb' }, { id: 'cc' }]
    });
  });

  it('says that the notebook isn’t open', async () => {
    const { questions } = ask(await openWithTurn());
    const question = { id: 'q', type: 'read', path: 'other.ipynb' } as const;
    expect(await questions.answer(question)).toMatchObject({ code: 'gone' });
  });

  it('runs cells until one fails, as the agent, and leaves the person in the editor', async () => {
    const open = await openWithTurn();
    const t = ask(open);
    await t.apply(insert('dd', 'raise', 'bb'), insert('ee', 'e', 'dd'));
    const { content, sessionContext } = open.panel;
    jest
      .spyOn(sessionContext, 'session', 'get')
      .mockReturnValue({ kernel: {} } as never);
    content.mode = 'edit';
    const answer = await t.questions.answer({
      ...{ id: 'q', type: 'run', path: t.path },
      cells: ['bb', 'dd', 'ee'],
      author: AUTHOR
    });
    await open.settle();
    expect(content.mode).toBe('edit');
    expect(answer).toMatchObject({
      type: 'ran',
      cells: [
        { id: 'bb', status: 'ok', outputs: [{ text: 'c = 4' }] },
        { id: 'dd', status: 'error', outputs: [{ output_type: 'error' }] },
        { id: 'ee', status: 'aborted', executionCount: null, outputs: [] }
      ]
    });
    expect(events(open, 'bb').at(-1)).toMatchObject({
      type: 'run',
      run: RUN,
      contributor: AUTHOR.contributor,
      data: { status: 'ok' }
    });
  });

  it('runs nothing without a kernel, or if it is forbidden', async () => {
    const open = await openWithTurn();
    const { path, questions } = ask(open);
    const question = { id: 'q', type: 'run', path, cells: ['bb'] } as const;
    const run = () => questions.answer({ ...question, cells: ['bb'] });
    const aborted = { type: 'ran', cells: [{ id: 'bb', status: 'aborted' }] };
    expect(await run()).toMatchObject(aborted);
    jest
      .spyOn(open.panel.sessionContext, 'session', 'get')
      .mockReturnValue({ kernel: {} } as never);
    setFeatures({ running: 'forbidden' });
    expect(await run()).toMatchObject(aborted);
  });
});
