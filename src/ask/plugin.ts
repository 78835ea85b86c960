/** Adds the commands and prompt rows with which a person asks a model for code. */
import {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ICommandPalette, IToolbarWidgetRegistry } from '@jupyterlab/apputils';
import { IEditorServices } from '@jupyterlab/codeeditor';
import { IFileBrowserFactory } from '@jupyterlab/filebrowser';
import { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import { Signal } from '@lumino/signaling';

import { ApiClient } from '../api/client';
import {
  CommandIDs,
  IHistory,
  IMemory,
  IModels,
  INotebookIdentity,
  IPromptRows,
  ITracking
} from '../tokens';
import { addCellButton } from '../ui/cellButton';
import { loadPart } from '../ui/lazy';
import type { AskNotebooks } from './plugin/askNotebooks';
import { addCommands } from './view/commands';
import { addAskAboutFile } from './view/input/askAboutFile';
import { fixSettings } from './view/fixedSettings';

export const askPlugin: JupyterFrontEndPlugin<IPromptRows> = {
  id: 'aiserver:ask',
  description: 'Ask for code in the cell itself.',
  autoStart: true,
  provides: IPromptRows,
  requires: [INotebookTracker, IEditorServices, IHistory, INotebookIdentity],
  optional: [
    ICommandPalette,
    ITranslator,
    IModels,
    ITracking,
    IToolbarWidgetRegistry,
    ISettingRegistry,
    IFileBrowserFactory,
    IMemory
  ],
  activate: (
    app: JupyterFrontEnd,
    tracker: INotebookTracker,
    editors: IEditorServices,
    history: IHistory,
    identity: INotebookIdentity,
    palette: ICommandPalette | null,
    translator: ITranslator | null,
    models: IModels | null,
    tracking: ITracking | null,
    toolbars: IToolbarWidgetRegistry | null,
    registry: ISettingRegistry | null,
    browsers: IFileBrowserFactory | null,
    memory: IMemory | null
  ) => {
    const trans = (translator ?? nullTranslator).load('aiserver');
    const api = new ApiClient(app.serviceManager.serverSettings);
    // Until the settings are loaded, the person's choices aren't known.
    let settings: ISettingRegistry.ISettings | null = null;
    if (registry) {
      fixSettings(registry, askPlugin.id, trans);
    }
    void registry?.load(askPlugin.id).then(
      loaded => (settings = loaded),
      () => undefined
    );

    let notebooks: AskNotebooks | null = null;
    const answersChanged = new Signal<object, void>({});
    const load = async (): Promise<AskNotebooks> => {
      const { AskNotebooks } = await import('./plugin/askNotebooks');
      notebooks ??= new AskNotebooks({
        ...{ app, tracker, editors, api, history, identity, trans },
        ...{ models, tracking, memory },
        onAnswersChanged: () => answersChanged.emit(),
        settings: () => settings
      });
      return notebooks;
    };
    const loadManager = async (panel: NotebookPanel) =>
      (await loadPart(load, trans)).managerOf(panel);
    // Load the part before the person asks. If that fails, the first command tries again.
    const prefetch = () => void load().catch(() => undefined);
    if (tracker.size) {
      prefetch();
    }
    tracker.widgetAdded.connect(prefetch);

    const get = (panel: NotebookPanel) => notebooks?.managerOf(panel) ?? null;
    addCommands(app, tracker, { get, load: loadManager }, api, trans);
    const category = trans.__('AI Server');
    if (browsers) {
      addAskAboutFile(app, tracker, browsers, loadManager, trans);
      palette?.addItem({ command: CommandIDs.askAboutFile, category });
    }
    if (toolbars) {
      addCellButton(toolbars, 'ask', app.commands, CommandIDs.ask);
    }
    for (const command of [
      CommandIDs.ask,
      CommandIDs.askDataFrame,
      CommandIDs.fix,
      CommandIDs.explainError,
      CommandIDs.explainResult,
      CommandIDs.accept,
      CommandIDs.acceptAndRun,
      CommandIDs.reject,
      CommandIDs.stop,
      CommandIDs.reset
    ]) {
      palette?.addItem({ command, category });
    }
    return {
      isOpen: panel => notebooks?.isOpen(panel) ?? false,
      isBusy: (...cell) => notebooks?.modelOf(...cell)?.isBusy ?? false,
      answersChanged,
      shownAnswers: (...cell) =>
        notebooks?.modelOf(...cell)?.shownAnswers ?? null,
      showProposal: async (panel, cellId, takesFocus) =>
        (await loadManager(panel)).showProposal(cellId, takesFocus),
      acceptAnswer: async (panel, cellId, turnId) =>
        !!(await notebooks?.modelOf(panel, cellId)?.acceptAnswer(turnId)),
      mention: async (text, isForNewCode = false) => {
        const panel = tracker.currentWidget;
        if (panel) {
          const manager = await loadManager(panel);
          const cell = isForNewCode
            ? manager.cellForNewCode(text)
            : panel.content.activeCell;
          if (cell) {
            manager.insertText(cell, text);
          }
        }
      },
      repeat: async (...args) => (await loadPart(load, trans)).repeat(...args)
    };
  }
};
