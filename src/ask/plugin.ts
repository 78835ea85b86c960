/** Adds the commands and the prompt rows with which a person asks a model for a cell's code. */
import {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import {
  Clipboard,
  ICommandPalette,
  IToolbarWidgetRegistry,
  Notification
} from '@jupyterlab/apputils';
import { IEditorServices } from '@jupyterlab/codeeditor';
import { PathExt } from '@jupyterlab/coreutils';
import { IFileBrowserFactory } from '@jupyterlab/filebrowser';
import { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import type { Contents } from '@jupyterlab/services';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import { Signal } from '@lumino/signaling';

import { ApiClient } from '../api/client';
import { DailyBudget } from '../state/dailyBudget';
import { Recipes } from './model/context/recipes';
import { MemoryUse } from './model/context/memoryUse';
import { RulesFiles } from './model/context/rulesFiles';
import { GenerationModel } from './model/generation';
import { PastAnswerSource } from './model/pastAnswers/pastAnswerSource';
import { repeatRequest } from './model/repeatRequest';
import type { RepairSetting } from './model/state';
import { NotebookCell } from '../cells/notebookCell';
import { languageOf } from '../cells/context';
import { listDataFrames } from '../kernel/variables';
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
import { modeLabels } from '../labels/modeLabels';
import { addCommands, createRowMenu } from './view/commands';
import { ErrorBars } from './view/errors/errorBars';
import { addAskAboutFile } from './view/input/askAboutFile';
import { fixSettings } from './view/fixedSettings';
import { NotebookAskManager } from './view/notebookAskManager';
import { fixRequest } from './view/promptLabels';
import { repairRequest } from './view/problemList';
import type { IPromptRowServices } from './view/promptServices';

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
    const budget = new DailyBudget(
      api,
      () => (settings?.get('dailyBudget').composite ?? 0) as number
    );
    const managers = new WeakMap<NotebookPanel, NotebookAskManager>();

    // Until the settings are loaded, the person's choice isn't known.
    const storesPrompts = () =>
      (settings?.get('storePrompts').composite ?? false) as boolean;
    const pastAnswers =
      memory &&
      new PastAnswerSource(
        api.memory,
        () => (settings?.get('offerPastAnswers').composite ?? false) as boolean
      );
    const showTurn: IPromptRowServices['showTurn'] = (turn, path) => {
      const { cell_id: cellId, turn_id: turnId } = turn;
      const step = { path, cellId, turnId };
      void app.commands.execute(CommandIDs.showStep, step);
    };
    const targetOf = (
      panel: NotebookPanel,
      cellId: string,
      rules: RulesFiles,
      memoryUse: MemoryUse
    ) =>
      new NotebookCell(panel, cellId, identity, trans, tracking, () => ({
        rulesFiles: rules.used,
        usesMemory: memoryUse.isOn,
        usesNote: (settings?.get('notebookNotes').composite ?? 'off') !== 'off',
        condensesTurns: (settings?.get('condenseTurns').composite ??
          false) as boolean
      }));
    const managerOf = (panel: NotebookPanel): NotebookAskManager => {
      let manager = managers.get(panel);
      if (!manager) {
        const rules = new RulesFiles(api, () => panel.context.localPath);
        const memoryUse = new MemoryUse(() => panel.context.localPath);
        const onFileChanged = (
          _: unknown,
          { type, newValue }: Contents.IChangedArgs
        ) => {
          if (type === 'save' && newValue?.path) {
            void rules.onSaved(newValue.path);
          }
        };
        const { contents } = app.serviceManager;
        contents.fileChanged.connect(onFileChanged);
        panel.disposed.connect(() => {
          contents.fileChanged.disconnect(onFileChanged);
          Signal.clearData(rules);
        });
        manager = new NotebookAskManager({
          panel,
          trans,
          newEditor: editors.factoryService.newInlineEditor,
          createModel: cellId => {
            const model = new GenerationModel({
              api,
              history,
              target: targetOf(panel, cellId, rules, memoryUse),
              storesPrompts,
              memory,
              pastAnswers,
              repair: {
                setting: () =>
                  (settings?.get('repair').composite ??
                    'local') as RepairSetting,
                requestText: problems => repairRequest(problems, trans),
                runLimit: () =>
                  (settings?.get('runRepairs').composite ?? 2) as number,
                errorRequestText: (error, problems) =>
                  fixRequest(error, problems, trans)
              }
            });
            models?.changed.connect(model.refreshModel, model);
            rules.changed.connect(model.onRulesChanged, model);
            return model;
          },
          listDataFrames: () =>
            listDataFrames(
              panel.sessionContext.session?.kernel,
              languageOf(panel),
              trans
            ),
          rules,
          memoryUse,
          recipes: new Recipes(api, () => panel.context.localPath),
          listFiles: async folder => {
            const path = PathExt.join(
              PathExt.dirname(panel.context.path),
              folder
            );
            const { content } = await contents.get(path, { content: true });
            return (content as Contents.IModel[]).map(({ name, type }) =>
              type === 'directory' ? `${name}/` : name
            );
          },
          describeFiles: names => api.dataFiles(panel.context.localPath, names),
          get showTurn() {
            return app.commands.hasCommand(CommandIDs.showStep)
              ? showTurn
              : undefined;
          },
          openMenu: (x, y) => createRowMenu(app).open(x, y),
          save: () => void panel.context.save().catch(() => undefined),
          openPalette: () => {
            const id = 'apputils:activate-command-palette';
            const { commands } = app;
            const hasPalette = commands.hasCommand(id);
            if (hasPalette) {
              void commands.execute(id);
            }
            return hasPalette;
          },
          models: models ?? undefined,
          budget,
          onUnsaved: text =>
            Notification.warning(
              text,
              // Without `autoClose`, JupyterLab wouldn't show the text. It would only count the
              // notification in the status bar.
              { autoClose: 8000 }
            ),
          onCellDeleted: model =>
            Notification.info(
              model.state.saveError
                ? trans.__(
                    'The cell you asked in was deleted, and the answer could not be saved.'
                  )
                : trans.__(
                    'The cell you asked in was deleted. The answer is saved in the history.'
                  ),
              {
                autoClose: false,
                actions: [
                  {
                    label: trans.__('Copy answer'),
                    callback: () => Clipboard.copyToSystem(model.state.code)
                  }
                ]
              }
            )
        });
        managers.set(panel, manager);
      }
      return manager;
    };

    addCommands(app, tracker, managerOf, api, trans);
    if (browsers) {
      addAskAboutFile(app, tracker, browsers, managerOf, trans);
      palette?.addItem({
        command: CommandIDs.askAboutFile,
        category: trans.__('AI Server')
      });
    }
    tracker.widgetAdded.connect((_, panel) => {
      void panel.context.ready.then(
        () =>
          new ErrorBars({
            panel,
            trans,
            fix: cell => managerOf(panel).fix(cell),
            explain: cell => managerOf(panel).explainError(cell)
          })
      );
    });
    if (toolbars) {
      addCellButton(toolbars, 'ask', app.commands, CommandIDs.ask);
    }
    const category = trans.__('AI Server');
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
    for (const { mode } of modeLabels(trans)) {
      palette?.addItem({
        command: CommandIDs.askInMode,
        args: { mode },
        category
      });
    }
    return {
      isOpen: panel => managers.get(panel)?.hasOpenRow ?? false,
      isBusy: (panel, cellId) => managers.get(panel)?.isBusy(cellId) ?? false,
      mention: async (text, isForNewCode = false) => {
        const panel = tracker.currentWidget;
        if (panel) {
          const manager = managerOf(panel);
          const cell = isForNewCode
            ? manager.cellForNewCode(text)
            : panel.content.activeCell;
          if (cell) {
            manager.insertText(cell, text);
          }
        }
      },
      repeat: (panel, cellId, request, signal) => {
        const { rules, memoryUse } = managerOf(panel);
        const target = targetOf(panel, cellId, rules, memoryUse);
        return repeatRequest(
          { api, history, target, storesPrompts },
          request,
          signal
        );
      }
    };
  }
};
