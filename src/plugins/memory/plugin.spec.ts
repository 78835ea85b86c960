import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { INotebookTracker } from '@jupyterlab/notebook';
import { ServerConnection } from '@jupyterlab/services';
import { CommandRegistry } from '@lumino/commands';
import type { Widget } from '@lumino/widgets';

import { setFeatures } from '../../state/features.fakes';
import { CommandIDs, IMemory, INotebookIdentity } from '../../tokens';
import { memoryPlugin } from './plugin';

async function activate() {
  const commands = new CommandRegistry();
  const widgets: Widget[] = [];
  const activated: string[] = [];
  const app = {
    commands,
    shell: {
      add: (widget: Widget) => widgets.push(widget),
      activateById: (id: string) => activated.push(id)
    },
    restored: new Promise<void>(() => undefined),
    serviceManager: { serverSettings: ServerConnection.makeSettings() }
  };
  const memory = (await memoryPlugin.activate(
    app as unknown as JupyterFrontEnd,
    { find: () => undefined } as unknown as INotebookTracker,
    {} as INotebookIdentity,
    null,
    null,
    null
  )) as IMemory | null;
  return { commands, widgets, activated, memory };
}

describe('memoryPlugin', () => {
  afterEach(() => setFeatures());

  it('adds the view and its commands', async () => {
    const { commands, widgets, activated, memory } = await activate();
    expect(widgets.map(({ id }) => id)).toEqual(['aiserver-memory']);
    expect(memory).not.toBeNull();
    await commands.execute(CommandIDs.showMemory);
    await commands.execute(CommandIDs.addMemory, { text: 'plot it' });
    expect(activated).toEqual(['aiserver-memory', 'aiserver-memory']);
    widgets.forEach(widget => widget.dispose());
  });

  it('adds nothing if the administrator forbids memories', async () => {
    setFeatures({ memory: 'forbidden' });
    const { commands, widgets, memory } = await activate();
    expect(widgets).toEqual([]);
    expect(memory).toBeNull();
    expect(commands.listCommands()).toEqual([]);
  });
});
