/** P54: notebooks whose cells vanish while they are closed, with a real Jupyter server. */
import { Notification } from '@jupyterlab/apputils';
import type { INotebookContent } from '@jupyterlab/nbformat';
import type { JupyterFrontEnd } from '@jupyterlab/application';
import { NotebookTracker } from '@jupyterlab/notebook';
import { CommandRegistry } from '@lumino/commands';
import * as fc from 'fast-check';

import {
  OpenNotebook,
  Page,
  fakeKernel
} from '../../tracking/model/tracking.fakes';
import { JupyterServer } from '../../tracking/model/tracking.jupyter.fakes';
import {
  operation,
  perform
} from '../../tracking/model/tracking.operations.fakes';
import { lossesPlugin } from './plugin';

type Open = OpenNotebook<JupyterServer>;

const CELLS = ['aa', 'bb', 'cc', 'dd', 'ee'].map((id, index) => ({
  id,
  type: index === 2 ? 'markdown' : 'code',
  source: `${id} = ${index}`
}));
const { manager } = Notification;
const messages = () => manager.notifications.map(({ message }) => message);

let server: JupyterServer;
beforeAll(async () => {
  fakeKernel();
  server = await JupyterServer.start();
}, 60_000);
afterAll(() => server.dispose());
afterEach(() => {
  Notification.dismiss();
  window.localStorage.clear();
  document.body.replaceChildren();
});

/** Start the plugin in the page of a notebook that was just opened, and wait for its check. */
async function check(open: Open): Promise<void> {
  const tracker = new NotebookTracker({ namespace: 'notebook' });
  await tracker.add(open.panel);
  const { history, identity, tracking } = open.page;
  const commands = new CommandRegistry();
  const app = { commands, shell: { activateById: () => undefined } };
  void lossesPlugin.activate(
    app as unknown as JupyterFrontEnd,
    ...[tracker, history, identity, tracking, null]
  );
  await new Promise(resolve => setTimeout(resolve, 300));
  await open.settle();
}

async function newNotebook(): Promise<Open> {
  const open = await new Page(server).open(CELLS);
  const model = await open.ask(1, 'b = 4');
  await model.decision.accept();
  await open.run(0, 4);
  await open.save();
  return open;
}

/** Close a notebook, change its cells in the file, and open it in another page. */
async function reopen(
  open: Open,
  change: (content: INotebookContent) => void
): Promise<Open> {
  const { path } = open.panel.context;
  await open.settle();
  open.close();
  const { content } = await server.contents.get(path);
  change(content);
  await server.contents.save(path, {
    ...{ type: 'notebook', format: 'json', content }
  });
  const opened = await new Page(server).openPath(path);
  await check(opened);
  return opened;
}

const keep =
  (...ids: string[]) =>
  (content: INotebookContent) => {
    content.cells = content.cells.filter(({ id }) =>
      ids.includes(id as string)
    );
  };

describe('a notebook that is opened', () => {
  it('says that cells were removed in its file, and brings them back', async () => {
    const open = await reopen(await newNotebook(), keep('bb', 'dd'));
    expect(messages()).toEqual([
      expect.stringMatching(/^3 cells .*: they were removed in its file\.$/)
    ]);
    manager.notifications[0].options.actions![0].callback(new MouseEvent(''));
    await open.settle();
    expect(open.ids).toEqual(['aa', 'bb', 'cc', 'dd', 'ee']);
    const { cells } = open.panel.context.model.sharedModel.toJSON();
    expect(cells.map(({ source, cell_type }) => [source, cell_type])).toEqual(
      CELLS.map(({ id, source, type }) => [
        id === 'bb' ? 'b = 4' : source,
        type
      ])
    );
    const text = [{ output_type: 'stream', name: 'stdout', text: 'aa = 0' }];
    expect(cells[0].outputs).toEqual(text);
  });

  it('says so again only if the person hasn’t accepted it', async () => {
    let open = await reopen(await newNotebook(), keep('bb', 'dd'));
    expect(messages()).toHaveLength(1);
    Notification.dismiss();
    open = await reopen(open, () => undefined);
    expect(messages()).toHaveLength(1);
    manager.notifications[0].options
      .actions!.at(-1)!
      .callback(new MouseEvent(''));
    Notification.dismiss();
    await reopen(open, () => undefined);
    expect(messages()).toEqual([]);
  });

  it('says so if it is empty', async () => {
    await reopen(await newNotebook(), keep());
    expect(messages()).toEqual([expect.stringMatching(/^5 cells /)]);
  });

  it('says nothing after ordinary operations', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(operation, { minLength: 2, maxLength: 6 }),
        fc.boolean(),
        async (operations, isSaved) => {
          let open = await newNotebook();
          for (const item of operations) {
            open = await perform(open, item, []);
          }
          await (isSaved && open.save());
          await reopen(open, () => undefined);
          expect(messages()).toEqual([]);
        }
      ),
      { numRuns: 10 }
    );
  }, 120_000);
});
