/**
 * The sidebar that replays how the active cell came to be.
 */
import {
  ILayoutRestorer,
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { Clipboard, ICommandPalette } from '@jupyterlab/apputils';
import { IEditorLanguageRegistry } from '@jupyterlab/codemirror';
import { INotebookTracker } from '@jupyterlab/notebook';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import { CommandRegistry } from '@lumino/commands';

import { ReplayModel } from '../models/replay';
import { FollowedCell } from '../notebook/followed';
import { CommandIDs, IHistory, INotebookIdentity } from '../tokens';
import type { IAsk } from '../widgets/replay/empty';
import { ReplayPanel } from '../widgets/replay/panel';

const PLUGIN_ID = 'aiserver:replay';

export const replayPlugin: JupyterFrontEndPlugin<void> = {
  id: PLUGIN_ID,
  description: 'A sidebar that replays how each cell came to be.',
  autoStart: true,
  requires: [
    INotebookTracker,
    IHistory,
    INotebookIdentity,
    IEditorLanguageRegistry
  ],
  optional: [ITranslator, ICommandPalette, ILayoutRestorer, ISettingRegistry],
  activate
};

function activate(
  app: JupyterFrontEnd,
  tracker: INotebookTracker,
  history: IHistory,
  identity: INotebookIdentity,
  languages: IEditorLanguageRegistry,
  translator: ITranslator | null,
  palette: ICommandPalette | null,
  restorer: ILayoutRestorer | null,
  settings: ISettingRegistry | null
): void {
  const { commands, shell } = app;
  translator ??= nullTranslator;
  const trans = translator.load('aiserver');
  const subject = new FollowedCell({ tracker, identity });
  const model = new ReplayModel({ subject, history });
  const panel = new ReplayPanel({
    model,
    languages,
    translator,
    ask: () => findAsk(commands),
    firstSteps: () =>
      commands.hasCommand(CommandIDs.firstSteps)
        ? () => void commands.execute(CommandIDs.firstSteps)
        : null,
    copy: text => Clipboard.copyToSystem(text)
  });
  panel.disposed.connect(() => {
    model.dispose();
    subject.dispose();
  });
  commands.keyBindingChanged.connect(() => panel.update());
  shell.add(panel, 'right', { rank: 850, type: 'AI Server' });
  restorer?.add(panel, panel.id);

  commands.addCommand(CommandIDs.showReplay, {
    label: trans.__('Show Replay'),
    caption: trans.__('Show how the active cell came to be, step by step'),
    describedBy: { args: { type: 'object', properties: {} } },
    execute: () => shell.activateById(panel.id)
  });
  commands.addCommand(CommandIDs.restore, {
    label: trans.__('Restore the Replayed Version'),
    caption: trans.__('Put the step that the replay shows back into the cell'),
    describedBy: { args: { type: 'object', properties: {} } },
    isEnabled: () => model.isActive && model.canRestore,
    execute: () => model.restore()
  });
  let couldRestore = false;
  model.stateChanged.connect(() => {
    if (model.canRestore !== couldRestore) {
      couldRestore = model.canRestore;
      commands.notifyCommandChanged(CommandIDs.restore);
    }
  });
  const category = trans.__('AI Server');
  palette?.addItem({ command: CommandIDs.showReplay, category });
  palette?.addItem({ command: CommandIDs.restore, category });

  if (settings) {
    void keepSpeed(settings, model);
  }
}

/** Remember the chosen speed in the settings. */
async function keepSpeed(
  registry: ISettingRegistry,
  model: ReplayModel
): Promise<void> {
  const settings = await registry.load(PLUGIN_ID).catch(() => null);
  if (!settings) {
    return;
  }
  const speed = () => settings.get('speed').composite as number;
  const read = () => {
    model.player.speed = speed();
  };
  read();
  settings.changed.connect(read);
  model.player.changed.connect(player => {
    if (player.speed !== speed()) {
      settings.set('speed', player.speed).catch(reason => {
        console.warn(
          'AI Server could not keep the speed of the replay.',
          reason
        );
      });
    }
  });
}

/** How to ask for code now: the command, with the keys that are bound to it. */
function findAsk(commands: CommandRegistry): IAsk | null {
  if (!commands.hasCommand(CommandIDs.ask)) {
    return null;
  }
  const binding = commands.keyBindings.find(
    item => item.command === CommandIDs.ask
  );
  return {
    keys: binding ? CommandRegistry.formatKeystroke(binding.keys) : null,
    isEnabled: commands.isEnabled(CommandIDs.ask),
    run: () => void commands.execute(CommandIDs.ask)
  };
}
