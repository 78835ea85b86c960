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
import { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import { CommandRegistry } from '@lumino/commands';

import { DiffMode, ReplayModel } from './model/replay';
import { FollowedCell } from './model/activeCell';
import { CommandIDs, IHistory, INotebookIdentity } from '../tokens';
import type { IAsk } from './view/empty';
import { askToReplace } from './view/askToReplace';
import { OpenMenu, openMenu } from './view/exportMenu';
import { ReplayPanel } from './view/panel';
import type { IToggle } from './view/view';

const PLUGIN_ID = 'aiserver:replay';

export const replayPlugin: JupyterFrontEndPlugin<void> = {
  id: PLUGIN_ID,
  description: 'A sidebar that replays how each cell was made.',
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
  const model = new ReplayModel({
    subject,
    history,
    asking: {
      mayReplace: index => askToReplace(index, trans),
      goOn: branch => {
        if (commands.hasCommand(CommandIDs.ask)) {
          void commands.execute(CommandIDs.ask, {
            parentTurnId: branch?.turnId ?? null,
            parentTitle: branch?.title ?? ''
          });
        }
      }
    },
    openFile: path => openNotebook(commands, path)
  });
  const panel = new ReplayPanel({
    model,
    languages,
    translator,
    ask: () => findAsk(commands),
    firstSteps: () =>
      commands.hasCommand(CommandIDs.firstSteps)
        ? () => void commands.execute(CommandIDs.firstSteps)
        : null,
    copy: text => Clipboard.copyToSystem(text),
    blame: () => findToggle(commands, CommandIDs.blame),
    exports: () => findExports(commands)
  });
  panel.disposed.connect(() => {
    model.dispose();
    subject.dispose();
  });
  commands.keyBindingChanged.connect(() => panel.update());
  commands.commandChanged.connect((_, { id }) => {
    if (id === CommandIDs.blame || id === CommandIDs.exportReplay) {
      panel.update();
    }
  });
  shell.add(panel, 'right', { rank: 850, type: 'AI Server' });
  restorer?.add(panel, panel.id);

  commands.addCommand(CommandIDs.showReplay, {
    label: trans.__('Show Replay'),
    caption: trans.__('Show how the active cell was made, step by step'),
    describedBy: { args: { type: 'object', properties: {} } },
    execute: () => shell.activateById(panel.id)
  });
  commands.addCommand(CommandIDs.search, {
    label: trans.__('Search Replay'),
    caption: trans.__('Search requests, code, explanations and errors'),
    describedBy: { args: { type: 'object', properties: {} } },
    execute: () => {
      model.view = 'search';
      shell.activateById(panel.id);
      model.search.call();
    }
  });
  commands.addCommand(CommandIDs.showStep, {
    label: trans.__('Show Step in Replay'),
    describedBy: {
      args: {
        type: 'object',
        properties: {
          cellId: { type: 'string' },
          step: { type: 'integer', description: 'Its place, from 0' },
          seq: { type: 'integer', description: 'The seq of its record' }
        },
        required: ['cellId']
      }
    },
    execute: async args => {
      const { cellId, step, seq } = args as Record<string, unknown>;
      if (typeof cellId === 'string') {
        shell.activateById(panel.id);
        await model.showStep(cellId, {
          step: typeof step === 'number' ? step : null,
          seq: typeof seq === 'number' ? seq : null
        });
      }
    }
  });
  commands.addCommand(CommandIDs.restore, {
    label: trans.__('Restore Version Shown in Replay'),
    caption: trans.__('Put the version shown in the replay back into the cell'),
    describedBy: { args: { type: 'object', properties: {} } },
    isEnabled: () => model.isActive && model.actions.canRestore,
    execute: () => model.actions.restore()
  });
  commands.addCommand(CommandIDs.restoreClean, {
    label: trans.__('Restore Last Working Version'),
    caption: trans.__('Restore the last version that ran without an error'),
    describedBy: { args: { type: 'object', properties: {} } },
    isEnabled: () => model.isActive && model.actions.cleanStep !== null,
    execute: () => model.actions.restoreClean()
  });
  let could = '';
  model.stateChanged.connect(() => {
    const { canRestore, cleanStep } = model.actions;
    const can = `${canRestore} ${cleanStep}`;
    if (can !== could) {
      could = can;
      commands.notifyCommandChanged(CommandIDs.restore);
      commands.notifyCommandChanged(CommandIDs.restoreClean);
    }
  });
  const category = trans.__('AI Server');
  palette?.addItem({ command: CommandIDs.showReplay, category });
  palette?.addItem({ command: CommandIDs.search, category });
  palette?.addItem({ command: CommandIDs.restore, category });
  palette?.addItem({ command: CommandIDs.restoreClean, category });

  if (settings) {
    void keepSettings(settings, model);
  }
}

/** Remember the chosen speed, and how a difference is drawn, in the settings. */
async function keepSettings(
  registry: ISettingRegistry,
  model: ReplayModel
): Promise<void> {
  const settings = await registry.load(PLUGIN_ID).catch(() => null);
  if (!settings) {
    return;
  }
  const kept = (name: string) => settings.get(name).composite;
  const read = () => {
    model.player.speed = kept('speed') as number;
    model.diffMode = kept('diff') as DiffMode;
  };
  read();
  settings.changed.connect(read);
  const asked: Record<string, unknown> = {};
  const keep = (name: string, value: string | number) => {
    if (value !== kept(name) && value !== asked[name]) {
      asked[name] = value; // To write it takes a while, in which more changes.
      settings.set(name, value).catch(reason => {
        console.warn(`AI Server could not keep “${name}”.`, reason);
      });
    }
  };
  model.stateChanged.connect(() => {
    keep('speed', model.player.speed);
    keep('diff', model.diffMode);
  });
}

/** A command that can be on or off, where it is to be had now. */
function findToggle(commands: CommandRegistry, id: string): IToggle | null {
  if (!commands.hasCommand(id) || !commands.isEnabled(id)) {
    return null;
  }
  return {
    isOn: commands.isToggled(id),
    toggle: () => void commands.execute(id)
  };
}

/** What the notebook's replay can be exported as, where that is to be had now. */
function findExports(commands: CommandRegistry): OpenMenu | null {
  const command = CommandIDs.exportReplay;
  if (!commands.hasCommand(command) || !commands.isEnabled(command)) {
    return null;
  }
  const items = ['html', 'md', 'ipynb'].map(format => ({
    command,
    args: { format, isMenu: true }
  }));
  return (...at) => openMenu(commands, items, ...at);
}

/** Open a notebook in front, as the file browser does, and wait until it can be read. */
async function openNotebook(
  commands: CommandRegistry,
  path: string
): Promise<void> {
  const panel: NotebookPanel | undefined = await commands.execute(
    'docmanager:open',
    { path, factory: 'Notebook' }
  );
  await panel?.context?.ready;
  await panel?.revealed;
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
