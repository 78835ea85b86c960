/** P54: notebooks whose cells vanish while they are closed, with a real Jupyter server. */
import { Notification } from '@jupyterlab/apputils';
import type { INotebookContent } from '@jupyterlab/nbformat';
import type { JupyterFrontEnd } from '@jupyterlab/application';
import { nullTranslator } from '@jupyterlab/translation';
import { CommandRegistry } from '@lumino/commands';
import * as fc from 'fast-check';

import {
  OpenNotebook,
  Page,
  openSaved
} from '../../tracking/model/tracking.fakes';
import {
  type JupyterServer,
  serverForTests
} from '../../tracking/model/tracking.jupyter.fakes';
import {
  operation,
  perform
} from '../../tracking/model/tracking.operations.fakes';
import { CELLS, clearPage, messages } from './losses.fakes';
import { LossDetector } from './model/lossDetector';
import { announceLoss } from './view/announcement';

type Open = OpenNotebook<JupyterServer>;

const { manager } = Notification;

const server = serverForTests();
afterEach(clearPage);

/** Check a notebook that was just opened, as the plugin does. */
async function check({ page, panel }: Open): Promise<void> {
  const { history, identity, tracking } = page;
  const app = { commands: new CommandRegistry() } as unknown as JupyterFrontEnd;
  const trans = nullTranslator.load('aiserver');
  const detector = new LossDetector({
    ...{ history, identity, tracking },
    isPersonActing: () => false,
    announce: loss =>
      announceLoss(loss, is => detector.settle(loss, is), app, trans)
  });
  await detector.checkOpened(panel);
}

const newNotebook = () => openSaved(new Page(server), CELLS);

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
        id === 'bb' ? 'c = 4' : source,
        type
      ])
    );
    const text = [{ output_type: 'stream', name: 'stdout', text: 'aa = 0' }];
    expect(cells[0]).toMatchObject({
      outputs: text,
      metadata: { trusted: true }
    });
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

  it('says so if its file has no bytes, and brings all back', async () => {
    const open = await newNotebook();
    const { path } = open.panel.context;
    await open.settle();
    open.close();
    await server.contents.save(path, {
      ...{ type: 'file', format: 'text', content: '' }
    });
    const opened = await new Page(server).openPath(path);
    await check(opened);
    expect(messages()).toEqual([expect.stringMatching(/^5 cells /)]);
    manager.notifications[0].options.actions![0].callback(new MouseEvent(''));
    expect(opened.ids).toEqual(
      expect.arrayContaining(['aa', 'bb', 'cc', 'dd', 'ee'])
    );
    await opened.save();
    expect((await server.contents.get(path)).content.cells).toHaveLength(
      opened.ids.length
    );
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
