/**
 * P40: who wrote what is noted of cells.
 *
 * Scripted stand-ins use the calls of real packages: jupyter-mcp-server (through
 * jupyter-nbmodel-client, and through the server's own document), notebook-intelligence's in-page
 * tools, and jupyterlab-code-formatter.
 */
import type { YNotebook } from '@jupyter/ydoc';
import type { CodeMirrorEditor } from '@jupyterlab/codemirror';
import { NotebookActions } from '@jupyterlab/notebook';
import { CommandRegistry } from '@lumino/commands';

import { applySource } from '../../cells/applySource';
import { RunningCommands } from './contributors/commands';
import { OpenNotebook, Page, asked, playKernel } from './tracking.fakes';
import { Receiver } from './tracking.receiver.fakes';
import { other } from './tracking.others.fakes';

beforeAll(() => playKernel());
afterEach(() => document.body.replaceChildren());

const commands = new CommandRegistry();
const acts = { isPersons: false };
const explanations = { commands: new RunningCommands(commands), acts };
const later = () => new Promise(resolve => setTimeout(resolve));

beforeEach(() => {
  acts.isPersons = false;
});

/** A notebook that is watched, in a page with commands. */
function watched(): Promise<OpenNotebook> {
  return asked(new Page(new Receiver(), explanations));
}

function shared(open: OpenNotebook): YNotebook {
  return open.panel.content.model!.sharedModel as YNotebook;
}

/** Register a command of a package for one use. */
async function execute(id: string, work: () => unknown): Promise<void> {
  const command = commands.addCommand(id, { execute: work });
  await commands.execute(id);
  command.dispose();
}

/** Of a cell's edits after the first look: `kind name: source`. */
async function edits(open: OpenNotebook, cellId: string): Promise<string[]> {
  await open.save();
  return open.page.receiver
    .events(open.id, cellId)
    .filter(
      ({ source, data }) => source !== undefined && data?.trigger !== 'first'
    )
    .map(({ contributor, source }) => {
      const { kind = '', name } = contributor ?? {};
      return `${[kind, name].filter(Boolean).join(' ')}: ${source}`;
    });
}

describe('what a person does', () => {
  it('is the person’s: keys, undo, and commands of JupyterLab', async () => {
    const open = await watched();
    open.type(0, 'typed');
    await open.save();
    await execute('notebook:replace-selection', () =>
      shared(open).cells[0].setSource('replaced')
    );
    await open.save();
    shared(open).cells[0].undo();
    expect(await edits(open, 'aa')).toEqual([
      'person: typed',
      'person: replaced',
      'person: typed'
    ]);
  });

  it('is the person’s in the search box and where a key is not named as input', async () => {
    const open = await watched();
    acts.isPersons = true;
    shared(open).cells[0].setSource('replaced by search');
    await later();
    acts.isPersons = false;
    expect(await edits(open, 'aa')).toEqual(['person: replaced by search']);
  });

  it('is not what was there before', async () => {
    const open = await watched();
    const [first] = open.page.receiver.events(open.id, 'aa');
    expect(first).toMatchObject({
      source: 'a = 1\nb = 2',
      data: { trigger: 'first' },
      contributor: { kind: 'unknown' }
    });
  });

  it('is noted before a rejection', async () => {
    const open = await watched();
    const model = await open.ask(1, 'c = 6');
    open.type(1, 'typed meanwhile');
    await model.reject();
    const events = open.page.receiver.events(open.id, 'bb').slice(-2);
    expect(events).toMatchObject([
      { type: 'edit', contributor: { kind: 'person' } },
      { type: 'reject' }
    ]);
  });
});

describe('what programs in the page do', () => {
  it('is a formatter’s, and what a person types before and after stays theirs', async () => {
    const open = await watched();
    open.type(0, 'x=1');
    // jupyterlab_code_formatter asks its server, then sets the source.
    await execute('jupyterlab_code_formatter:format', async () => {
      await later();
      shared(open).cells[0].source = 'x = 1';
    });
    open.type(0, '\ny = 2', 5);
    expect(await edits(open, 'aa')).toEqual([
      'person: x=1',
      'program jupyterlab_code_formatter: x = 1',
      'person: x = 1\ny = 2'
    ]);
    const [, formatted] = open.page.receiver
      .events(open.id, 'aa', 'edit')
      .slice(1);
    expect(formatted.data).toMatchObject({
      command: 'jupyterlab_code_formatter:format'
    });
  });

  it('is an agent’s where its command adds, replaces and runs cells', async () => {
    const open = await watched();
    open.type(0, 'mine = 1');
    // notebook-intelligence's tools: synchronous commands on the shared model.
    await execute('notebook-intelligence:insert-cell-at-index', () => {
      shared(open).insertCell(1, { cell_type: 'code', source: 'added = 1' });
      void NotebookActions.run(open.panel.content, open.panel.sessionContext);
    });
    await open.rest();
    await execute('notebook-intelligence:set-cell-type-and-source', () => {
      const notebook = shared(open);
      notebook.deleteCell(0);
      notebook.insertCell(0, {
        cell_type: 'code',
        source: 'mine = 1\nits = 2'
      });
    });
    await open.save();
    const [replaced, added] = open.ids;
    const { receiver } = open.page;
    const agent = { kind: 'agent', name: 'notebook-intelligence' };
    expect(receiver.events(open.id, added)[0]).toMatchObject({
      type: 'edit',
      contributor: agent
    });
    // The cell goes on from the one that it replaces, so a person's lines stay theirs.
    expect(receiver.session(open.id, replaced)?.forkedFrom).toMatchObject({
      cellId: 'aa'
    });
    expect(receiver.events(open.id, replaced).at(-1)).toMatchObject({
      type: 'copy',
      source: 'mine = 1\nits = 2',
      contributor: agent
    });
    expect(receiver.events(open.id, 'aa').map(one => one.contributor)).toEqual([
      { kind: 'unknown' },
      { kind: 'person' },
      undefined, // the run
      agent
    ]);
  });

  it('is a program’s where nothing names it, also through an editor', async () => {
    const open = await watched();
    open.type(0, 'mine');
    shared(open).cells[0].setSource('set');
    await later();
    const editor = open.panel.content.widgets[0].editor as CodeMirrorEditor;
    editor.editor.dispatch({ changes: { from: 3, insert: ' more' } });
    await later();
    open.type(0, ' typed', 8);
    expect(await edits(open, 'aa')).toEqual([
      'person: mine',
      'program: set more',
      'person: set more typed'
    ]);
  });

  it('is told apart where one command follows another at once', async () => {
    const open = await watched();
    const set = (source: string) => () =>
      shared(open).cells[0].setSource(source);
    await execute('jupyterlab_code_formatter:format', set('a'));
    await execute('notebook-intelligence:insert-at-cursor', set('a\nb'));
    await execute('notebook:replace-selection', set('a\nb\nc'));
    expect(await edits(open, 'aa')).toEqual([
      'program jupyterlab_code_formatter: a',
      'agent notebook-intelligence: a\nb',
      'person: a\nb\nc'
    ]);
  });

  it('is noted once where a program writes word by word', async () => {
    const open = await watched();
    for (const words of ['a', 'a b', 'a b c']) {
      shared(open).cells[0].setSource(words);
      await later();
    }
    expect(await edits(open, 'aa')).toEqual(['program: a b c']);
  });

  it('is no person’s while a person’s command goes on', async () => {
    const open = await watched();
    let end: (value: unknown) => void = () => undefined;
    const run = execute('notebook:run-all-cells', () => {
      return new Promise(resolve => (end = resolve));
    });
    await later();
    shared(open).cells[0].setSource('set meanwhile');
    await later();
    end(null);
    await run;
    expect(await edits(open, 'aa')).toEqual(['program: set meanwhile']);
  });

  it('is the file’s where it is read again', async () => {
    const open = await watched();
    open.type(0, 'typed');
    const { model } = open.panel.context;
    const file = model.toJSON() as { cells: { source: string }[] };
    file.cells[0].source = 'typed\nby another program';
    model.fromJSON(file as never); // what `context.revert()` does
    open.type(0, '\nmine', 24);
    expect(await edits(open, 'aa')).toEqual([
      'person: typed',
      'program file on disk: typed\nby another program',
      'person: typed\nby another program\nmine'
    ]);
  });

  it('is the file’s where a cell is not as it was recorded last', async () => {
    const open = await watched();
    await open.save();
    const { receiver } = open.page;
    const { id } = open;
    open.close();
    await new Page(receiver, explanations).open(
      [
        { id: 'aa', source: 'a = 1\nb = 3' },
        { id: 'bb', source: 'c = 4' }
      ],
      { notebookId: id }
    );
    expect(receiver.events(id, 'aa').at(-1)).toMatchObject({
      source: 'a = 1\nb = 3',
      contributor: { kind: 'unknown', name: 'file on disk' }
    });
    expect(receiver.events(id, 'bb').at(-1)).toMatchObject({ type: 'accept' });
  });

  it('is the file’s where the list of sessions shows no difference', async () => {
    const open = await watched();
    const lines = Array.from({ length: 11 }, (_, n) => `line_${n}`);
    open.type(0, lines.join('\n')); // the list has ten
    open.type(1, ''); // the list has the newest code that isn't empty
    await open.save();
    const { receiver } = open.page;
    const { id } = open;
    open.close();
    const outside = [
      { id: 'aa', source: lines.slice(0, 10).join('\n') },
      { id: 'bb', source: 'c = 4' }
    ];
    await new Page(receiver, explanations).open(outside, { notebookId: id });
    for (const cell of outside) {
      expect(receiver.events(id, cell.id).at(-1)).toMatchObject({
        source: cell.source,
        contributor: { kind: 'unknown', name: 'file on disk' }
      });
    }
  });
});

describe('an accepted answer whose turn could not be saved', () => {
  it('is one edit of the model', async () => {
    const open = await watched();
    applySource(open.panel.content.widgets[0], 'a = 9');
    const contributor = { kind: 'model', name: 'openai:m' } as const;
    await open.page.history.record({ notebookId: open.id, cellId: 'aa' }, [
      { type: 'edit', source: 'a = 9', contributor }
    ]);
    expect(await edits(open, 'aa')).toEqual(['model openai:m: a = 9']);
  });
});

describe('what is written elsewhere in a shared notebook', () => {
  const MCP = {
    // As jupyter-nbmodel-client says of itself, through which jupyter-mcp-server writes.
    user: {
      agent: 'Datalayer-NbModelClient/1.5.1',
      owner: 'jovyan',
      address: "('127.0.0.1', 8888)"
    }
  };

  it('is an agent’s by the name that it gives, between a person’s edits', async () => {
    const open = await watched();
    open.type(0, 'mine = 1\n');
    const { source, cells, send } = await other(open, MCP);
    source(0).insert(9, 'its = 2\n');
    send();
    open.type(0, 'mine = 3', 17);
    expect(await edits(open, 'aa')).toEqual([
      'person: mine = 1\n',
      'agent Datalayer-NbModelClient: mine = 1\nits = 2\n',
      'person: mine = 1\nits = 2\nmine = 3'
    ]);
    cells.delete(1, 1);
    send();
    await open.rest();
    const [deleted] = open.page.receiver.events(open.id, 'bb', 'delete');
    expect(deleted.contributor).toMatchObject({ kind: 'agent' });
  });

  it('is the server’s where no client gives a name', async () => {
    const open = await watched();
    const { source, send } = await other(open, null);
    source(0).insert(0, 'its = 0\n');
    send();
    expect(await edits(open, 'aa')).toEqual([
      'program Jupyter server: its = 0\na = 1\nb = 2'
    ]);
  });

  it('is recorded once: by the watching page with the lowest id', async () => {
    const open = await watched();
    await other(open, { aiserver_watches: true }, 1);
    const { source, send } = await other(open, MCP);
    source(0).insert(0, 'its = 0\n');
    send();
    expect(await edits(open, 'aa')).toEqual([]);
  });

  it('comes after what was typed before, whichever page records it', async () => {
    const open = await watched();
    await other(open, { aiserver_watches: true }, 1);
    open.type(0, 'mine');
    const { source, send } = await other(open, MCP);
    source(0).insert(4, '\nits = 0');
    send();
    await open.rest();
    const noted = open.page.receiver.events(open.id, 'aa').at(-1);
    expect(noted).toMatchObject({
      source: 'mine',
      contributor: { kind: 'person' }
    });
  });

  it('is noted when it pauses, before a page takes it for its own', async () => {
    const open = await watched();
    const { source, send } = await other(open, MCP);
    source(0).insert(0, 'its = 0\n');
    send();
    jest.useFakeTimers({ doNotFake: ['performance'] });
    source(0).insert(0, 'its = 1\n');
    send();
    jest.advanceTimersByTime(1000);
    jest.useRealTimers();
    await open.rest();
    const { receiver } = open.page;
    expect(receiver.events(open.id, 'aa').at(-1)).toMatchObject({
      source: 'its = 1\nits = 0\na = 1\nb = 2',
      contributor: { kind: 'agent' }
    });
  });

  describe('and only takes a cell away, while another page watches', () => {
    const deleted = async (
      record?: (open: OpenNotebook) => Promise<unknown>
    ) => {
      const open = await watched();
      await other(open, { aiserver_watches: true }, 2 ** 32 - 1);
      const { cells, send } = await other(open, MCP);
      jest.useFakeTimers({ doNotFake: ['performance'] });
      cells.delete(1, 1);
      send();
      await record?.(open);
      await jest.advanceTimersByTimeAsync(10_000);
      jest.useRealTimers();
      await open.rest();
      return open;
    };

    it('is the agent’s if no page records it', async () => {
      const { id, page } = await deleted();
      expect(page.receiver.events(id, 'bb', 'delete')).toMatchObject([
        { contributor: { kind: 'agent', name: 'Datalayer-NbModelClient' } }
      ]);
      expect(page.receiver.logs.get(id)!.at(-1)!.order).not.toContain('bb');
    });

    it('is recorded once if the other page records it', async () => {
      const { id, page } = await deleted(({ id, page }) =>
        page.receiver.api.record(id, 'bb', [{ type: 'delete', source: '' }])
      );
      expect(page.receiver.events(id, 'bb', 'delete')).toHaveLength(1);
    });
  });

  it('is nobody’s where a page that doesn’t watch wrote it', async () => {
    const open = await watched();
    const user = { username: 'u1', display_name: 'Ada' };
    const { source, send } = await other(open, { user });
    source(0).insert(0, 'its = 0\n');
    send();
    expect(await edits(open, 'aa')).toEqual([
      'unknown Ada: its = 0\na = 1\nb = 2'
    ]);
  });
});
