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
import { Cell, CodeCell } from '@jupyterlab/cells';
import { IEditorServices } from '@jupyterlab/codeeditor';
import { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import {
  ITranslator,
  TranslationBundle,
  nullTranslator
} from '@jupyterlab/translation';
import { Menu } from '@lumino/widgets';

import { ApiClient } from '../api/client';
import { toFailure } from '../state/failure';
import { GenerationModel } from './model/generation';
import { fetchPreview } from './model/requestBody';
import { RepairSetting, requestNumber } from './model/state';
import { NotebookCell } from '../cells/notebookCell';
import { cellErrorText } from '../cells/cellError';
import { languageOf } from '../cells/context';
import { listDataFrames } from '../kernel/variables';
import {
  CommandIDs,
  IHistory,
  IModels,
  INotebookIdentity,
  ITracking
} from '../tokens';
import { addCellButton } from '../ui/cellButton';
import { modeLabels } from '../labels/modeLabels';
import { failureText } from '../labels/failureText';
import { askIcon } from '../ui/icons';
import { NotebookAskManager } from './view/notebookAskManager';
import { showPreview } from './view/preview';
import { fixRequest } from './view/promptLabels';
import { repairRequest } from './view/problemList';
import { completedRequest } from './view/input/slashWords';

export const askPlugin: JupyterFrontEndPlugin<void> = {
  id: 'aiserver:ask',
  description: 'Ask for code in the cell itself.',
  autoStart: true,
  requires: [INotebookTracker, IEditorServices, IHistory, INotebookIdentity],
  optional: [
    ICommandPalette,
    ITranslator,
    IModels,
    ITracking,
    IToolbarWidgetRegistry,
    ISettingRegistry
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
    registry: ISettingRegistry | null
  ) => {
    const trans = (translator ?? nullTranslator).load('aiserver');
    const api = new ApiClient(app.serviceManager.serverSettings);
    let settings: ISettingRegistry.ISettings | null = null;
    void registry?.load(askPlugin.id).then(
      loaded => (settings = loaded),
      () => undefined
    );
    const managers = new WeakMap<NotebookPanel, NotebookAskManager>();

    const managerOf = (panel: NotebookPanel): NotebookAskManager => {
      let manager = managers.get(panel);
      if (!manager) {
        manager = new NotebookAskManager({
          panel,
          trans,
          newEditor: editors.factoryService.newInlineEditor,
          createModel: cellId => {
            const model = new GenerationModel({
              api,
              history,
              target: new NotebookCell(
                panel,
                cellId,
                identity,
                trans,
                tracking
              ),
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
            return model;
          },
          listDataFrames: () =>
            listDataFrames(
              panel.sessionContext.session?.kernel,
              languageOf(panel),
              trans
            ),
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
    if (toolbars) {
      addCellButton(toolbars, 'ask', app.commands, CommandIDs.ask);
    }
    const category = trans.__('AI Server');
    for (const command of [
      CommandIDs.ask,
      CommandIDs.askDataFrame,
      CommandIDs.fix,
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
  }
};

function addCommands(
  app: JupyterFrontEnd,
  tracker: INotebookTracker,
  managerOf: (panel: NotebookPanel) => NotebookAskManager,
  api: ApiClient,
  trans: TranslationBundle
): void {
  const { commands } = app;

  /** Return the active cell of the current notebook, and the notebook's manager. */
  const currentCell = (): {
    manager: NotebookAskManager;
    cell: Cell;
  } | null => {
    const panel = tracker.currentWidget;
    const cell = panel?.content.activeCell;
    return panel && cell ? { manager: managerOf(panel), cell } : null;
  };
  /** Return the `GenerationModel` of `currentCell`; null if its prompt row was never opened. */
  const currentModel = (): GenerationModel | null => {
    const current = currentCell();
    return current && current.manager.get(current.cell);
  };
  const isSuggested = () => currentModel()?.state.phase === 'suggested';

  const open = (pickDataFrames: boolean) => {
    const current = currentCell();
    current?.manager.open(current.cell, pickDataFrames);
  };

  commands.addCommand(CommandIDs.ask, {
    label: trans.__('Ask for Code'),
    caption: trans.__('Ask for new code or a change in this cell'),
    icon: args => (args.isMenu ? undefined : askIcon),
    isEnabled: () => tracker.currentWidget !== null,
    // With a turn's id and title, the next request continues from this turn. If `parentTurnId` is
    // null, the next request continues from the newest turn. Without arguments, only open the row.
    execute: ({ parentTurnId, parentTitle }) => {
      const current = currentCell();
      const turnId = Number(parentTurnId);
      if (current && (parentTurnId === null || turnId >= 1)) {
        const title = String(parentTitle ?? '');
        current.manager.openBranch(
          current.cell,
          turnId ? { turnId, title } : null
        );
      } else {
        open(false);
      }
    }
  });
  commands.addCommand(CommandIDs.askInMode, {
    label: ({ mode }) => {
      const label = modeLabels(trans).find(label => label.mode === mode);
      return label ? trans.__('Ask: %1', label.description) : '';
    },
    isEnabled: () => currentCell()?.cell instanceof CodeCell,
    execute: ({ mode }) => {
      const current = currentCell();
      const label = modeLabels(trans).find(label => label.mode === mode);
      if (current && label) {
        current.manager.openWith(current.cell, `${label.slashWord} `);
      }
    }
  });
  commands.addCommand(CommandIDs.askDataFrame, {
    label: args =>
      args.inRow
        ? trans.__('About a DataFrame…')
        : trans.__('Ask About a DataFrame…'),
    caption: trans.__('Ask for code that uses DataFrames in the kernel'),
    isEnabled: () => currentCell()?.cell instanceof CodeCell,
    execute: () => open(true)
  });
  commands.addCommand(CommandIDs.fix, {
    label: trans.__('Fix This Cell’s Error'),
    caption: trans.__(
      'Ask for a fix; the last lines of the error are sent along'
    ),
    isEnabled: () => cellErrorText(currentCell()?.cell ?? null) !== null,
    execute: () => {
      const current = currentCell();
      current?.manager.fix(current.cell);
    }
  });
  commands.addCommand(CommandIDs.accept, {
    label: trans.__('Accept Suggestion'),
    isEnabled: isSuggested,
    execute: () => currentModel()?.decision.accept()
  });
  commands.addCommand(CommandIDs.acceptAndRun, {
    label: trans.__('Accept and Run Suggestion'),
    caption: trans.__(
      'Accept the suggestion, run the cell, and let the model correct its errors'
    ),
    isEnabled: () =>
      isSuggested() && currentModel()?.target.cellType === 'code',
    execute: () => currentModel()?.runs.start()
  });
  commands.addCommand(CommandIDs.reject, {
    label: trans.__('Reject Suggestion'),
    isEnabled: isSuggested,
    execute: () => currentModel()?.decision.reject()
  });
  commands.addCommand(CommandIDs.stop, {
    label: trans.__('Stop Generating'),
    isEnabled: () => currentModel()?.isBusy ?? false,
    execute: () => currentModel()?.stop()
  });
  commands.addCommand(CommandIDs.preview, {
    label: trans.__('Show What Will Be Sent'),
    caption: trans.__('Show exactly what will be sent to the model'),
    isEnabled: () => currentModel() !== null,
    execute: async () => {
      try {
        const model = currentModel();
        if (model) {
          const { target, state, inputText } = model;
          const request = model.buildRequest(
            await completedRequest(model, inputText)
          );
          await showPreview(
            await fetchPreview(api, request, target, state.cellModel),
            cellId => target.cellNumber(cellId),
            turnId => requestNumber({ ...model.state, turnId }),
            trans
          );
        }
      } catch (reason) {
        const text = failureText(toFailure(reason), trans);
        Notification.error(text, { autoClose: 5000 });
      }
    }
  });
  commands.addCommand(CommandIDs.reset, {
    label: trans.__('New Conversation'),
    caption: trans.__(
      'Earlier requests stay in the history but are no longer sent to the model'
    ),
    isEnabled: () => currentCell() !== null,
    execute: () => {
      open(false);
      return currentModel()?.reset();
    }
  });
}

/** Create the menu that the prompt row's button “⋯” opens. */
function createRowMenu(app: JupyterFrontEnd): Menu {
  const menu = new Menu({ commands: app.commands });
  menu.addItem({ command: CommandIDs.askDataFrame, args: { inRow: true } });
  menu.addItem({ command: CommandIDs.reset });
  menu.addItem({ command: CommandIDs.preview });
  if (app.commands.hasCommand(CommandIDs.showReplay)) {
    menu.addItem({ type: 'separator' });
    menu.addItem({ command: CommandIDs.showReplay });
  }
  menu.aboutToClose.connect(() => {
    // Dispose of the menu in the next frame, because the selected command runs after this signal.
    requestAnimationFrame(() => menu.dispose());
  });
  return menu;
}
