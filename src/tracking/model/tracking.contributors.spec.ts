/**
 * P40: the contributors of recorded edits.
 *
 * Scripted clients use the calls of real packages: jupyter-mcp-server (through
 * jupyter-nbmodel-client, and through the server's own document), notebook-intelligence's in-page
 * tools, and jupyterlab-code-formatter.
 */
import type { YNotebook } from '@jupyter/ydoc';
import type { CodeMirrorEditor } from '@jupyterlab/codemirror';
import { NotebookActions } from '@jupyterlab/notebook';
import { CommandRegistry } from '@lumino/commands';

import { applySource } from '../../cells/applySource';
import { RunningCommands } from './contributors/commands';
import { OpenNotebook, Page, openWithTurn, fakeKernel } from './tracking.fakes';
import { FakeServer } from './tracking.server.fakes';
import { connectClient } from './tracking.collaboration.fakes';

beforeAll(() => fakeKernel());
afterEach(() => document.body.replaceChildren());

const commands = new CommandRegistry();
const input = { isActive: false };
const causeDetectors = { commands: new RunningCommands(commands), input };
const later = () => new Promise(resolve => setTimeout(resolve));

beforeEach(() => {
  input.isActive = false;
});

function watched(): Promise<OpenNotebook> {
  return openWithTurn(new Page(new FakeServer(), causeDetectors));
}

function shared(open: OpenNotebook): YNotebook {
  return open.panel.content.model!.sharedModel as YNotebook;
}

async function execute(id: string, work: () => unknown): Promise<void> {
  const command = commands.addCommand(id, { execute: work });
  await commands.execute(id);
  command.dispose();
}

/** A cell's edits after the initial one, as `kind name: source`. */
async function edits(open: OpenNotebook, cellId: string): Promise<string[]> {
  await open.save();
  return open.page.server
    .events(open.id, cellId)
    .filter(
      ({ source, data }) => source !== undefined && data?.trigger !== 'first'
    )
    .map(({ contributor, source }) => {
      const { kind = '', name } = contributor ?? {};
      return `${[kind, name].filter(Boolean).join(' ')}: ${source}`;
    });
}

describe('changes by a person', () => {
  it('are typing, undo and JupyterLab’s commands', async () => {
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

  it('include replacements in the search box and input without a user event', async () => {
    const open = await watched();
    input.isActive = true;
    shared(open).cells[0].setSource('replaced by search');
    await later();
    input.isActive = false;
    expect(await edits(open, 'aa')).toEqual(['person: replaced by search']);
  });

  it('are recorded before a rejection', async () => {
    const open = await watched();
    const model = await open.ask(1, 'c = 6');
    open.type(1, 'typed meanwhile');
    await model.decision.reject();
    const events = open.page.server.events(open.id, 'bb').slice(-2);
    expect(events).toMatchObject([
      { type: 'edit', contributor: { kind: 'person' } },
      { type: 'reject' }
    ]);
  });
});

describe('changes by programs in the page', () => {
  it('belong to a formatter, and typing before and after to the person', async () => {
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
    const [, formatted] = open.page.server
      .events(open.id, 'aa', 'edit')
      .slice(1);
    expect(formatted.data).toMatchObject({
      command: 'jupyterlab_code_formatter:format'
    });
  });

  it('belong to an agent whose command adds, replaces and runs cells', async () => {
    const open = await watched();
    open.type(0, 'mine = 1');
    // notebook-intelligence's tools: synchronous commands on the shared model.
    await execute('notebook-intelligence:insert-cell-at-index', () => {
      shared(open).insertCell(1, { cell_type: 'code', source: 'added = 1' });
      void NotebookActions.run(open.panel.content, open.panel.sessionContext);
    });
    await open.settle();
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
    const { server } = open.page;
    const agent = { kind: 'agent', name: 'notebook-intelligence' };
    expect(server.events(open.id, added)[0]).toMatchObject({
      type: 'edit',
      contributor: agent
    });
    // The new cell is a copy of the replaced one, so the person's lines keep their contributor.
    expect(server.session(open.id, replaced)?.forkedFrom).toMatchObject({
      cellId: 'aa'
    });
    expect(server.events(open.id, replaced).at(-1)).toMatchObject({
      type: 'copy',
      source: 'mine = 1\nits = 2',
      contributor: agent
    });
    expect(
      server.events(open.id, 'aa').map(event => event.contributor)
    ).toEqual([
      { kind: 'unknown' },
      { kind: 'person' },
      undefined, // the run
      agent
    ]);
  });

  it('belong to an unnamed program if nothing explains them, even in an editor', async () => {
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

  it('are recorded once for a program that writes word by word', async () => {
    const open = await watched();
    for (const words of ['a', 'a b', 'a b c']) {
      shared(open).cells[0].setSource(words);
      await later();
    }
    expect(await edits(open, 'aa')).toEqual(['program: a b c']);
  });

  it('don’t belong to the person while a command of JupyterLab runs', async () => {
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

  it('belong to the file after a revert', async () => {
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

  it('belong to the file even if the session list shows no difference', async () => {
    const open = await watched();
    const lines = Array.from({ length: 11 }, (_, n) => `line_${n}`);
    open.type(0, lines.join('\n')); // the list shows ten
    open.type(1, ''); // the list shows the newest code that isn't empty
    await open.save();
    const { server } = open.page;
    const { id } = open;
    open.close();
    const outside = [
      { id: 'aa', source: lines.slice(0, 10).join('\n') },
      { id: 'bb', source: 'c = 4' }
    ];
    await new Page(server, causeDetectors).open(outside, { notebookId: id });
    for (const cell of outside) {
      expect(server.events(id, cell.id).at(-1)).toMatchObject({
        source: cell.source,
        contributor: { kind: 'unknown', name: 'file on disk' }
      });
    }
  });
});

describe('an accepted answer whose turn could not be saved', () => {
  it('is one edit by the model', async () => {
    const open = await watched();
    applySource(open.panel.content.widgets[0], 'a = 9');
    const contributor = { kind: 'model', name: 'openai:m' } as const;
    await open.page.history.record({ notebookId: open.id, cellId: 'aa' }, [
      { type: 'edit', source: 'a = 9', contributor }
    ]);
    expect(await edits(open, 'aa')).toEqual(['model openai:m: a = 9']);
  });
});

describe('remote changes of a shared notebook', () => {
  const MCP = {
    // The state of jupyter-nbmodel-client, through which jupyter-mcp-server writes.
    user: {
      agent: 'Datalayer-NbModelClient/1.5.1',
      owner: 'jovyan',
      address: "('127.0.0.1', 8888)"
    }
  };

  it('belong to the agent that its state names, between a person’s edits', async () => {
    const open = await watched();
    open.type(0, 'mine = 1\n');
    const { source, cells, send } = await connectClient(open, MCP);
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
    await open.settle();
    const [deleted] = open.page.server.events(open.id, 'bb', 'delete');
    expect(deleted.contributor).toMatchObject({ kind: 'agent' });
  });

  it('belong to the server if no client has a name', async () => {
    const open = await watched();
    const { source, send } = await connectClient(open, null);
    source(0).insert(0, 'its = 0\n');
    send();
    expect(await edits(open, 'aa')).toEqual([
      'program Jupyter server: its = 0\na = 1\nb = 2'
    ]);
  });

  it('are recorded once, by the watching page with the lowest id', async () => {
    const open = await watched();
    await connectClient(open, { aiserver_watches: true }, 1);
    const { source, send } = await connectClient(open, MCP);
    source(0).insert(0, 'its = 0\n');
    send();
    expect(await edits(open, 'aa')).toEqual([]);
  });

  it('are recorded after earlier typing, whichever page records them', async () => {
    const open = await watched();
    await connectClient(open, { aiserver_watches: true }, 1);
    open.type(0, 'mine');
    const { source, send } = await connectClient(open, MCP);
    source(0).insert(4, '\nits = 0');
    send();
    await open.settle();
    const last = open.page.server.events(open.id, 'aa').at(-1);
    expect(last).toMatchObject({
      source: 'mine',
      contributor: { kind: 'person' }
    });
  });

  it('are recorded after a pause', async () => {
    const open = await watched();
    const { source, send } = await connectClient(open, MCP);
    source(0).insert(0, 'its = 0\n');
    send();
    jest.useFakeTimers({ doNotFake: ['performance'] });
    source(0).insert(0, 'its = 1\n');
    send();
    jest.advanceTimersByTime(1000);
    jest.useRealTimers();
    await open.settle();
    const { server } = open.page;
    expect(server.events(open.id, 'aa').at(-1)).toMatchObject({
      source: 'its = 1\nits = 0\na = 1\nb = 2',
      contributor: { kind: 'agent' }
    });
  });

  describe('that delete a cell while another page watches', () => {
    const deleted = async (
      record?: (open: OpenNotebook) => Promise<unknown>
    ) => {
      const open = await watched();
      await connectClient(open, { aiserver_watches: true }, 2 ** 32 - 1);
      const { cells, send } = await connectClient(open, MCP);
      jest.useFakeTimers({ doNotFake: ['performance'] });
      cells.delete(1, 1);
      send();
      await record?.(open);
      await jest.advanceTimersByTimeAsync(10_000);
      jest.useRealTimers();
      await open.settle();
      return open;
    };

    it('belong to the agent if no page records them', async () => {
      const { id, page } = await deleted();
      expect(page.server.events(id, 'bb', 'delete')).toMatchObject([
        { contributor: { kind: 'agent', name: 'Datalayer-NbModelClient' } }
      ]);
      expect(page.server.logs.get(id)!.at(-1)!.order).not.toContain('bb');
    });

    it('are recorded once if the other page records them', async () => {
      const { id, page } = await deleted(({ id, page }) =>
        page.server.api.record({ notebookId: id, cellId: 'bb' }, [
          { type: 'delete', source: '' }
        ])
      );
      expect(page.server.events(id, 'bb', 'delete')).toHaveLength(1);
    });
  });

  it('have an unknown contributor if a page that doesn’t watch made them', async () => {
    const open = await watched();
    const user = { username: 'u1', display_name: 'Ada' };
    const { source, send } = await connectClient(open, { user });
    source(0).insert(0, 'its = 0\n');
    send();
    expect(await edits(open, 'aa')).toEqual([
      'unknown Ada: its = 0\na = 1\nb = 2'
    ]);
  });
});
