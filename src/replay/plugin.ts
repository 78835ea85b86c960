import {
  ILayoutRestorer,
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { IEditorLanguageRegistry } from '@jupyterlab/codemirror';
import { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import {
  ITranslator,
  nullTranslator,
  type TranslationBundle
} from '@jupyterlab/translation';
import type { CommandRegistry } from '@lumino/commands';
import type { ReadonlyJSONObject } from '@lumino/coreutils';

import type { IReplayHost } from './model/cell/actions';
import { ReplayModel, type ReplayTab } from './model/replay';
import type { NoteMode } from './model/notebook/note';
import { syncSettings } from './model/settings';
import { ActiveCell } from './model/activeCell';
import { AskAgainHost } from './model/again/host';
import { NotebookRestore } from './model/notebook/notebookRestore';
import { BriefingReminder } from './model/notebook/briefingModel';
import {
  CommandIDs,
  type ICellKey,
  IHistory,
  IModels,
  INotebookIdentity,
  IPromptRows,
  IAgents,
  IMemory,
  ITracking
} from '../tokens';
import { confirm } from '../ui/dialogs';
import { focusAfterPalette } from '../ui/palette';
import { NoteClient } from '../api/noteClient';
import { showReminder } from './view/notebook/reminder';
import { ReplayPanel } from './view/panel';

const PLUGIN_ID = 'aiserver:replay';
/** The plugin that has the setting of notes, because requests contain them. */
const ASK_PLUGIN_ID = 'aiserver:ask';
const TABS: ReplayTab[] = ['cell', 'notebook', 'search'];

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
  optional: [
    ITranslator,
    ICommandPalette,
    ILayoutRestorer,
    ISettingRegistry,
    IPromptRows,
    IModels,
    IMemory,
    IAgents,
    ITracking
  ],
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
  settings: ISettingRegistry | null,
  rows: IPromptRows | null,
  models: IModels | null,
  memory: IMemory | null,
  agents: IAgents | null,
  tracking: ITracking | null
): void {
  const { commands, shell } = app;
  translator ??= nullTranslator;
  const trans = translator.load('aiserver');
  const subject = new ActiveCell(tracker, identity);
  const { sessions } = app.serviceManager;
  const panelOf = ({ notebookId }: ICellKey) => {
    const panel = tracker.currentWidget;
    return panel && identity.get(panel) === notebookId ? panel : null;
  };
  const model = new ReplayModel(
    subject,
    history,
    createHost(commands, panelOf, rows, trans),
    rows && models
      ? new AskAgainHost({ tracker, identity, rows, models, sessions, trans })
      : null,
    new NoteClient(app.serviceManager.serverSettings)
  );
  rows?.answersChanged.connect(() => model.steps.stateChanged.emit());
  const restore = new NotebookRestore({
    ...{ identity, history, tracking },
    current: () => tracker.currentWidget,
    contents: app.serviceManager.contents,
    open: path => openNotebook(commands, path)
  });
  const panel = new ReplayPanel(
    {
      ...{ model, commands, languages, restore },
      memory: memory ?? undefined,
      agents: agents ?? undefined
    },
    translator
  );
  panel.disposed.connect(() => {
    model.dispose();
    subject.dispose();
  });
  shell.add(panel, 'right', { rank: 850, type: 'AI Server' });
  restorer?.add(panel, panel.id);
  addCommands(app, model, panel, trans);
  for (const command of [
    CommandIDs.showReplay,
    CommandIDs.showLastTime,
    CommandIDs.search,
    CommandIDs.restore,
    CommandIDs.restoreClean,
    CommandIDs.askAgain
  ]) {
    palette?.addItem({ command, category: trans.__('AI Server') });
  }

  const remind = () => {
    const reminder = new BriefingReminder({
      identity,
      history,
      briefing: model.briefing,
      isTabShown: () => model.isActive && model.selectedTab === 'notebook',
      remind: content => showReminder(content, app, trans)
    });
    tracker.forEach(notebook => reminder.add(notebook));
    tracker.widgetAdded.connect((_, notebook) => reminder.add(notebook));
  };
  // Wait for the settings: the person may have turned the reminder off.
  void followSettings(settings, model).then(remind);
}

async function followSettings(
  settings: ISettingRegistry | null,
  model: ReplayModel
): Promise<void> {
  settings?.load(ASK_PLUGIN_ID).then(
    loaded => {
      const update = () => {
        model.note.mode = loaded.composite.notebookNotes as NoteMode;
      };
      update();
      loaded.changed.connect(update);
    },
    () => undefined // the plugin of the prompt rows is disabled
  );
  const loaded = await settings?.load(PLUGIN_ID).catch(() => null);
  if (loaded) {
    syncSettings(loaded, model);
  }
}

function createHost(
  commands: CommandRegistry,
  panelOf: (key: ICellKey) => NotebookPanel | null,
  rows: IPromptRows | null,
  trans: TranslationBundle
): IReplayHost {
  return {
    confirmReplace: index =>
      confirm(
        {
          title: trans.__('The cell has changed since its last step'),
          body: trans.__(
            'Restore step %1? The current code is saved in the history, and you can undo the restore.',
            index + 1
          ),
          accept: trans.__('Restore')
        },
        trans
      ),
    openPrompt: branch => {
      if (commands.hasCommand(CommandIDs.ask)) {
        void commands.execute(CommandIDs.ask, {
          parentTurnId: branch?.turnId ?? null,
          parentTitle: branch?.title ?? ''
        });
      }
    },
    openFile: path => openNotebook(commands, path),
    shownAnswers: key => {
      const panel = panelOf(key);
      return (panel && rows?.shownAnswers(panel, key.cellId)) ?? null;
    },
    acceptAnswer: async (key, turnId) => {
      const panel = panelOf(key);
      return !!panel && !!(await rows?.acceptAnswer(panel, key.cellId, turnId));
    }
  };
}

function addCommands(
  { commands, shell }: JupyterFrontEnd,
  model: ReplayModel,
  panel: ReplayPanel,
  trans: TranslationBundle
): void {
  const addCommand = (
    id: string,
    options: Partial<CommandRegistry.ICommandOptions>,
    properties: ReadonlyJSONObject = {},
    required: string[] = []
  ) =>
    commands.addCommand(id, {
      describedBy: { args: { type: 'object', properties, required } },
      ...(options as CommandRegistry.ICommandOptions)
    });
  const show = (tab: ReplayTab) => {
    model.selectedTab = tab;
    shell.activateById(panel.id);
  };
  addCommand(
    CommandIDs.showReplay,
    {
      label: trans.__('Show Replay'),
      caption: trans.__('Show how the active cell was made, step by step'),
      execute: ({ tab, time }) => {
        const shown = TABS.find(name => name === tab) ?? model.selectedTab;
        focusAfterPalette(() => show(shown));
        if (typeof time === 'string') {
          model.timeline.showTime(new Date(time));
        }
      }
    },
    {
      tab: { type: 'string', enum: TABS },
      time: { type: 'string', description: 'Of the notebook tab, in ISO 8601' }
    }
  );
  addCommand(CommandIDs.search, {
    label: trans.__('Search Replay'),
    caption: trans.__('Search requests, code, explanations and errors'),
    execute: () => {
      show('search');
      model.search.requestFocus();
    }
  });
  addCommand(CommandIDs.showLastTime, {
    label: trans.__('What Did I Do Here Last Time?'),
    caption: trans.__(
      'Show your last requests in this notebook, and what is not finished'
    ),
    execute: () =>
      focusAfterPalette(() => {
        show('notebook');
        // Open the card afterwards, because the sidebar focuses the slider.
        model.briefing.open();
      })
  });
  addCommand(
    CommandIDs.showStep,
    {
      label: trans.__('Show Step in Replay'),
      execute: async ({ cellId, step, seq, turnId, path }) => {
        const asNumber = (value: unknown) =>
          typeof value === 'number' ? value : null;
        if (typeof path === 'string') {
          await openNotebook(commands, path);
        }
        if (typeof cellId === 'string') {
          shell.activateById(panel.id);
          await model.showStep(cellId, {
            step: asNumber(step),
            seq: asNumber(seq),
            turnId: asNumber(turnId)
          });
        }
      }
    },
    {
      cellId: { type: 'string' },
      step: { type: 'integer', description: 'The step’s index, from 0' },
      seq: { type: 'integer', description: 'The seq of its record' },
      turnId: { type: 'integer', description: 'The id of its turn' },
      path: {
        type: 'string',
        description: 'The notebook to open first; that of the active cell'
      }
    },
    ['cellId']
  );
  addCommand(CommandIDs.restore, {
    label: trans.__('Restore Version Shown in Replay'),
    caption: trans.__('Put the version shown in the replay back into the cell'),
    isEnabled: () => model.isActive && model.actions.canRestore,
    execute: () => model.actions.restore()
  });
  addCommand(CommandIDs.restoreClean, {
    label: trans.__('Restore Last Working Version'),
    caption: trans.__('Restore the last version that ran without an error'),
    isEnabled: () =>
      model.isActive && model.actions.restorableWorkingIndex !== null,
    execute: () => model.actions.restoreLastWorking()
  });
  addCommand(CommandIDs.askAgain, {
    label: trans.__('Ask the History Again…'),
    caption: trans.__(
      'Ask the requests that led to the shown version again, of another model'
    ),
    isEnabled: () => model.again.isAvailable && model.subject.cell !== null,
    execute: () => {
      show('cell');
      model.again.open();
    }
  });
  // The model changes often, so notify only of changes.
  let previousState = '';
  model.stateChanged.connect(() => {
    const { canRestore, restorableWorkingIndex } = model.actions;
    const state = `${canRestore} ${restorableWorkingIndex}`;
    if (state !== previousState) {
      previousState = state;
      commands.notifyCommandChanged(CommandIDs.restore);
      commands.notifyCommandChanged(CommandIDs.restoreClean);
    }
  });
}

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
