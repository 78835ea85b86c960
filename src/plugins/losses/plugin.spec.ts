/** P54: the plugin with JupyterLab's models and actions, and random operations of a person. */
import type { YNotebook } from '@jupyter/ydoc';
import type { JupyterFrontEnd } from '@jupyterlab/application';
import { Notification } from '@jupyterlab/apputils';
import { NotebookActions, NotebookTracker } from '@jupyterlab/notebook';
import { CommandRegistry } from '@lumino/commands';
import * as fc from 'fast-check';

import { connectClient } from '../../tracking/model/tracking.collaboration.fakes';
import { RunningCommands } from '../../tracking/model/contributors/commands';
import {
  OpenNotebook,
  Page,
  fakeKernel,
  openSaved
} from '../../tracking/model/tracking.fakes';
import { FakeServer } from '../../tracking/model/tracking.server.fakes';
import {
  type Operation,
  operation,
  perform
} from '../../tracking/model/tracking.operations.fakes';
import { CELLS, clearPage, messages } from './losses.fakes';
import { lossesPlugin } from './plugin';

const { manager } = Notification;
const shared = ({ panel }: OpenNotebook) =>
  panel.context.model.sharedModel as YNotebook;
const contentOf = (open: OpenNotebook) => shared(open).toJSON().cells;

async function click(index: number): Promise<void> {
  const { id, options } = manager.notifications[0];
  const event = new MouseEvent('click', { cancelable: true });
  options.actions![index].callback(event);
  if (!event.defaultPrevented) {
    Notification.dismiss(id);
  }
}

/** Wait until a loss would have been announced: the delay, and the requests. */
async function decide(open: OpenNotebook): Promise<void> {
  await open.settle();
  jest.advanceTimersByTime(1000);
  await open.settle();
}

const commands = new CommandRegistry();
for (const id of [
  'docmanager:restore-checkpoint',
  'notebook:do',
  'jupyter-ai:do'
]) {
  commands.addCommand(id, {
    execute: ({ work }) => (work as unknown as () => Promise<void>)()
  });
}
const execute = (id: string, work: () => unknown) =>
  commands.execute(id, { work: work as never });

/** Start the plugin in a page, and return the function that adds notebooks to it. */
function start(page: Page): NotebookTracker {
  const tracker = new NotebookTracker({ namespace: 'notebook' });
  const app = { commands, shell: { activateById: () => undefined } };
  void lossesPlugin.activate(
    app as unknown as JupyterFrontEnd,
    ...[tracker, page.history, page.identity, page.tracking, null]
  );
  return tracker;
}

function newPage(): Page {
  return new Page(new FakeServer(), {
    commands: new RunningCommands(commands)
  });
}

async function setup(): Promise<OpenNotebook> {
  const page = newPage();
  const tracker = start(page);
  const open = await openSaved(page, CELLS);
  await tracker.add(open.panel);
  await open.settle();
  return open;
}

beforeAll(() => fakeKernel());
beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['queueMicrotask', 'nextTick'] });
});
afterEach(() => {
  jest.useRealTimers();
  clearPage();
});

/** Load another content into the model, as a reload from disk does. */
function reload(open: OpenNotebook, ids: readonly string[]): void {
  const content = shared(open).toJSON();
  const cells = content.cells.filter(({ id }) => ids.includes(id as string));
  open.panel.context.model.fromJSON({ ...content, cells } as never);
}

describe('an open notebook', () => {
  it('says within two seconds that cells were removed in the file, and brings all back', async () => {
    const open = await setup();
    const before = contentOf(open);
    expect(before[0].outputs).toHaveLength(1);
    reload(open, ['cc']);
    await decide(open);
    const name = open.panel.context.path;
    expect(messages()).toEqual([
      `4 cells have disappeared from ${name}: they were removed in its file.`
    ]);
    shared(open).insertCell(1, { cell_type: 'code', source: 'new' });
    await open.settle();
    await click(0);
    await open.settle();
    const after = contentOf(open);
    expect(after.filter(({ source }) => source !== 'new')).toEqual(before);
    expect(open.sources).toContain('new');
    expect(open.kinds('aa').at(-1)).toBe('undelete');
    expect(messages()).toEqual([]);
    shared(open).undo();
    expect(open.sources).toEqual(['cc = 2', 'new']);
  });

  it('names the agent, and counts further cells in the same announcement', async () => {
    const open = await setup();
    await execute('jupyter-ai:do', () => shared(open).deleteCell(0));
    await decide(open);
    expect(messages()).toEqual([]);
    await execute('jupyter-ai:do', () => shared(open).deleteCell(0));
    await decide(open);
    const text = expect.stringMatching(/^2 cells .*: removed by jupyter-ai\.$/);
    expect(messages()).toEqual([text]);
    await execute('jupyter-ai:do', () => shared(open).deleteCell(0));
    await decide(open);
    expect(messages()).toEqual([expect.stringMatching(/^3 cells /)]);
    await click(0);
    expect(open.ids).toEqual(['aa', 'bb', 'cc', 'dd', 'ee']);
  });

  it.each([
    ['moves', (ids: string[]) => [...ids].reverse()],
    ['keeps', (ids: string[]) => ids]
  ])('is silent when a program %s cells with new ids', async (_, order) => {
    const open = await setup();
    const content = shared(open).toJSON();
    const cells = order(open.ids).map((id, index) => ({
      ...content.cells.find(cell => cell.id === id)!,
      id: `new-${index}`
    }));
    open.panel.context.model.fromJSON({ ...content, cells } as never);
    await decide(open);
    expect(messages()).toEqual([]);
  });

  it('is silent when a checkpoint of the person lacks some cells, not most', async () => {
    const open = await setup();
    const revertTo = (ids: readonly string[]) =>
      execute('docmanager:restore-checkpoint', async () => {
        await open.settle();
        reload(open, ids);
      });
    await revertTo(['aa', 'bb', 'cc']);
    await decide(open);
    expect(messages()).toEqual([]);
    await revertTo(['aa']);
    await decide(open);
    expect(messages()).toHaveLength(1);
  });

  it('brings back with outputs what a client of a shared notebook deleted', async () => {
    const open = await setup();
    const before = contentOf(open);
    const client = await connectClient(open, { user: { name: 'claude' } });
    client.cells.delete(0, 2);
    client.send();
    await decide(open);
    expect(messages()).toEqual([
      expect.stringMatching(/^2 cells .*: removed by claude\.$/)
    ]);
    await click(0);
    await open.settle();
    expect(contentOf(open)).toEqual(before);
  });

  it('is silent about cells that the person deletes then', async () => {
    const open = await setup();
    await execute('jupyter-ai:do', () => shared(open).deleteCell(0));
    open.select(0, 2);
    await execute('notebook:do', () =>
      NotebookActions.deleteCells(open.panel.content)
    );
    await decide(open);
    expect(messages()).toEqual([]);
  });

  it('is silent without a history', async () => {
    const page = newPage();
    const tracker = start(page);
    const open = await page.open(CELLS);
    await tracker.add(open.panel);
    reload(open, []);
    await decide(open);
    expect(messages()).toEqual([]);
  });

  it('raises no alarm for 200 sequences of ordinary operations', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(operation, { minLength: 3, maxLength: 7 }),
        async operations => {
          Notification.dismiss();
          let page = newPage();
          let open = await page.open(CELLS);
          await start(page).add(open.panel);
          await (await open.ask(1, 'b = 4')).decision.accept();
          for (const item of operations) {
            await performAsPerson(item, async () => {
              open = await perform(open, item, []);
            });
            jest.advanceTimersByTime(1000);
            if (open.page !== page) {
              page = open.page as Page;
              await start(page).add(open.panel);
            }
          }
          await decide(open);
          expect(messages()).toEqual([]);
          open.close();
        }
      ),
      { numRuns: 200 }
    );
  }, 300_000);
});

/** Perform an operation as JupyterLab does: by a command, if it isn't typing or a request. */
async function performAsPerson(
  { do: name }: Operation,
  work: () => Promise<void>
): Promise<void> {
  const hasCommand = !['type', 'generate', 'leave', 'reopen'].includes(name);
  await (hasCommand ? execute('notebook:do', work) : work());
}
