import type { JupyterFrontEnd } from '@jupyterlab/application';
import { Notification } from '@jupyterlab/apputils';
import { EditorLanguageRegistry } from '@jupyterlab/codemirror';
import type { INotebookTracker } from '@jupyterlab/notebook';
import { CommandRegistry } from '@lumino/commands';
import { Signal } from '@lumino/signaling';
import { Widget } from '@lumino/widgets';

import schema from '../../schema/replay.json';
import { CommandIDs, type INotebookIdentity } from '../tokens';
import { FakeHistory, summaryOf } from './model/replay.fakes';
import { replayPlugin } from './plugin';
import { untilDrawn } from '../ui/drawn.fakes';

/** The plugin with an open notebook, whose last work was a request in January 2026. */
async function activate(settings: object | null = null) {
  const history = new FakeHistory();
  history.summaryList = [summaryOf('a')];
  history.timelineResult = {
    version: 'v',
    moments: [
      {
        index: 0,
        timestamp: '2026-01-27T10:00:00.000Z',
        kind: 'turn',
        cellId: 'a',
        step: 0,
        author: 'model',
        outcome: 'accepted',
        title: 'plot it',
        saved: false
      }
    ],
    cells: []
  };
  const signal = () => new Signal<unknown, unknown>({});
  const cells = Object.assign([], { changed: signal() });
  const notebook = Object.assign(new Widget(), {
    context: { path: 'a.ipynb', model: { readOnly: false } },
    content: { model: { cells, sharedModel: { cells } } }
  });
  notebook.id = 'notebook';
  const tracker = {
    currentWidget: notebook,
    currentChanged: signal(),
    activeCellChanged: signal(),
    widgetAdded: signal(),
    forEach: (add: (panel: unknown) => void) => add(notebook)
  };
  const identity = {
    get: () => 'nb',
    registered: async () => undefined,
    changed: signal()
  };
  const commands = new CommandRegistry();
  const activated: string[] = [];
  let sidebar: Widget | undefined;
  const app = {
    commands,
    shell: {
      add: (widget: Widget) => (sidebar = widget),
      activateById: (id: string) => {
        activated.push(id);
        if (id === sidebar?.id && !sidebar.isAttached) {
          Widget.attach(sidebar, document.body);
        }
      }
    },
    serviceManager: { sessions: {} }
  };
  Widget.attach(notebook, document.body);
  await replayPlugin.activate(
    app as unknown as JupyterFrontEnd,
    tracker as unknown as INotebookTracker,
    history,
    identity as unknown as INotebookIdentity,
    new EditorLanguageRegistry(),
    null,
    null,
    null,
    settings && { load: async () => settings }
  );
  const dispose = () => {
    notebook.dispose();
    sidebar?.dispose();
  };
  return { activated, commands, dispose, sidebar: sidebar!, history };
}

describe('the last time in a notebook', () => {
  beforeAll(() => {
    window.requestIdleCallback ??= ((done: () => void) =>
      setTimeout(done)) as never;
  });

  afterEach(() => Notification.manager.dismiss());

  it('is shown by a command, in the notebook tab (P38)', async () => {
    const t = await activate();
    await t.commands.execute(CommandIDs.showLastTime);
    const heading = () => t.sidebar.node.querySelector('h3');
    await untilDrawn(() => heading() && document.activeElement === heading());
    expect(heading()?.textContent).toMatch(/^Last time: /);
    expect(t.sidebar.node.textContent).toContain('plot it');
    t.dispose();
  });

  it('is in the View menu', () => {
    const [view] = schema['jupyter.lab.menus'].main;
    expect(view.items.map(({ command }) => command)).toContain(
      CommandIDs.showLastTime
    );
  });

  it('is announced by a notification, whose button runs the command', async () => {
    const t = await activate();
    await untilDrawn(() => Notification.manager.count);
    const [{ message, options }] = Notification.manager.notifications;
    expect(message).toMatch(
      /^The last work on a.ipynb was \d+ days ago: 1 request/
    );
    expect(options.actions).toHaveLength(1); // there is no settings editor
    options.actions![0].callback(new MouseEvent('click'));
    await untilDrawn(() => t.sidebar.node.querySelector('h3'));
    expect(t.activated).toEqual(['notebook', 'aiserver-replay']);
    t.dispose();
  });

  it('is never announced if the setting says so', async () => {
    const composite = { speed: 1, diff: 'inline', briefingAfterDays: 0 };
    const changed = new Signal<unknown, unknown>({});
    const t = await activate({ composite, changed });
    await new Promise(resolve => setTimeout(resolve, 20));
    expect(Notification.manager.notifications).toEqual([]);
    expect(t.history.summaryRequestCount).toBe(0);
    t.dispose();
  });
});
