/** Each plugin of the page can be disabled by its name without harm to the others. */
import { JupyterLab, LabShell } from '@jupyterlab/application';
import { IEditorServices } from '@jupyterlab/codeeditor';
import {
  CodeMirrorEditorFactory,
  CodeMirrorMimeTypeService,
  EditorExtensionRegistry,
  EditorLanguageRegistry,
  IEditorExtensionRegistry,
  IEditorLanguageRegistry
} from '@jupyterlab/codemirror';
import { INotebookTracker, NotebookTracker } from '@jupyterlab/notebook';
import { ServiceManagerMock } from '@jupyterlab/services/lib/testutils';
import type { Token } from '@lumino/coreutils';

import plugins from './index';
import { CommandIDs, IHistory, INotebookIdentity } from './tokens';

const CORE = ['aiserver:history', 'aiserver:identity'];
const IDS = plugins.map(({ id }) => id);
const OPTIONAL = IDS.filter(id => !CORE.includes(id));

/** JupyterLab with its own services and our plugins, except the `disabled` ones. */
async function start(disabled: readonly string[]): Promise<JupyterLab> {
  const app = new JupyterLab({
    shell: new LabShell(),
    serviceManager: new ServiceManagerMock()
  });
  const languages = new EditorLanguageRegistry();
  const services: [Token<unknown>, unknown][] = [
    [INotebookTracker, new NotebookTracker({ namespace: 'notebook' })],
    [IEditorLanguageRegistry, languages],
    [IEditorExtensionRegistry, new EditorExtensionRegistry()],
    [
      IEditorServices,
      {
        factoryService: new CodeMirrorEditorFactory({ languages }),
        mimeTypeService: new CodeMirrorMimeTypeService(languages)
      }
    ]
  ];
  for (const [provides, service] of services) {
    const id = `test:${provides.name}`;
    app.registerPlugin({ id, provides, activate: () => service });
  }
  const enabled = plugins.filter(({ id }) => !disabled.includes(id));
  app.registerPlugins(enabled);
  for (const { id } of enabled) {
    await app.activatePlugin(id);
  }
  return app;
}

describe('the plugins of the page', () => {
  it('have names that differ', () => {
    expect(new Set(IDS).size).toBe(IDS.length);
    expect(IDS.every(id => /^aiserver:[a-z-]+$/.test(id))).toBe(true);
  });

  it('need none of ours but those of histories and identities', () => {
    const needed = plugins.flatMap(({ requires = [] }) =>
      requires.filter(({ name }) => name.startsWith('aiserver:'))
    );
    expect([...new Set(needed)]).toEqual([IHistory, INotebookIdentity]);
  });

  it.each(OPTIONAL)('start without %s', async id => {
    const app = await start([id]);
    const others = IDS.filter(other => other !== id);
    expect(others.filter(other => !app.isPluginActivated(other))).toEqual([]);
    const hasCommand = (command: string) => app.commands.hasCommand(command);
    expect(hasCommand(CommandIDs.ask)).toBe(id !== 'aiserver:ask');
    expect(hasCommand(CommandIDs.showReplay)).toBe(id !== 'aiserver:replay');
  });

  it('start without all others that only add something', async () => {
    const main = [...CORE, 'aiserver:ask', 'aiserver:replay'];
    const app = await start(IDS.filter(id => !main.includes(id)));
    expect(main.every(id => app.isPluginActivated(id))).toBe(true);
    expect(app.commands.hasCommand(CommandIDs.ask)).toBe(true);
    expect(app.commands.hasCommand(CommandIDs.restore)).toBe(true);
  });
});
