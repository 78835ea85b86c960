/** Asking in the cell: the commands, and the rows of the open notebooks. */
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
import {
  ITranslator,
  TranslationBundle,
  nullTranslator
} from '@jupyterlab/translation';
import { Menu } from '@lumino/widgets';

import { ApiClient } from '../api/client';
import { toFailure } from '../state/failure';
import { GenerationModel } from './model/generation';
import { preview } from './model/requestBody';
import { NotebookCell } from '../cells/notebookCell';
import { cellErrorText } from '../cells/cellError';
import { languageOf } from '../cells/context';
import { listDataFrames } from './model/dataFrames';
import {
  CommandIDs,
  IHistory,
  IModels,
  INotebookIdentity,
  ITracking
} from '../tokens';
import { addCellButton } from '../ui/cellButton';
import { failureText } from '../labels/failureText';
import { askIcon } from '../ui/icons';
import { NotebookAsks } from './view/notebookAsks';
import { showPreview } from './view/preview';

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
    IToolbarWidgetRegistry
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
    toolbars: IToolbarWidgetRegistry | null
  ) => {
    const trans = (translator ?? nullTranslator).load('aiserver');
    const api = new ApiClient(app.serviceManager.serverSettings);
    const all = new WeakMap<NotebookPanel, NotebookAsks>();

    const asksOf = (panel: NotebookPanel): NotebookAsks => {
      let asks = all.get(panel);
      if (!asks) {
        asks = new NotebookAsks({
          panel,
          trans,
          newEditor: editors.factoryService.newInlineEditor,
          makeModel: cellId => {
            const model = new GenerationModel({
              api,
              history,
              target: new NotebookCell(panel, cellId, identity, trans, tracking)
            });
            models?.changed.connect(model.lookForModel, model);
            return model;
          },
          listDataFrames: () =>
            listDataFrames(
              panel.sessionContext.session?.kernel,
              languageOf(panel),
              trans
            ),
          openMenu: (x, y) => rowMenu(app).open(x, y),
          save: () => void panel.context.save().catch(() => undefined),
          openPalette: () => {
            const id = 'apputils:activate-command-palette';
            const { commands } = app;
            const isThere = commands.hasCommand(id);
            if (isThere) {
              void commands.execute(id);
            }
            return isThere;
          },
          copy: text => Clipboard.copyToSystem(text),
          models: models ?? undefined,
          onUnsaved: text =>
            Notification.warning(
              text,
              // Without it JupyterLab shows a number in the status bar, and no words.
              { autoClose: 8000 }
            ),
          onGone: model =>
            Notification.info(
              model.state.unkept
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
        all.set(panel, asks);
      }
      return asks;
    };

    addCommands(app, tracker, asksOf, api, trans);
    if (toolbars) {
      addCellButton(toolbars, 'ask', app.commands, CommandIDs.ask);
    }
    const category = trans.__('AI Server');
    for (const command of [
      CommandIDs.ask,
      CommandIDs.askDataFrame,
      CommandIDs.fix,
      CommandIDs.accept,
      CommandIDs.reject,
      CommandIDs.stop,
      CommandIDs.reset
    ]) {
      palette?.addItem({ command, category });
    }
  }
};

function addCommands(
  app: JupyterFrontEnd,
  tracker: INotebookTracker,
  asksOf: (panel: NotebookPanel) => NotebookAsks,
  api: ApiClient,
  trans: TranslationBundle
): void {
  const { commands } = app;

  /** The cell in which the person is. */
  const current = (): { asks: NotebookAsks; cell: Cell } | null => {
    const panel = tracker.currentWidget;
    const cell = panel?.content.activeCell;
    return panel && cell ? { asks: asksOf(panel), cell } : null;
  };
  const model = (): GenerationModel | null => {
    const found = current();
    return found && found.asks.get(found.cell);
  };
  const isSuggested = () => model()?.state.phase === 'suggested';

  const open = (pickDataFrames: boolean) => {
    const found = current();
    found?.asks.open(found.cell, pickDataFrames);
  };

  commands.addCommand(CommandIDs.ask, {
    label: trans.__('Ask for Code'),
    caption: trans.__('Ask for new code or a change in this cell'),
    icon: args => (args.isMenu ? undefined : askIcon),
    isEnabled: () => tracker.currentWidget !== null,
    execute: ({ parentTurnId, parentTitle }) => {
      const found = current();
      const turnId = Number(parentTurnId);
      if (found && (parentTurnId === null || turnId >= 1)) {
        const title = String(parentTitle ?? '');
        found.asks.branch(found.cell, turnId ? { turnId, title } : null);
      } else {
        open(false);
      }
    }
  });
  commands.addCommand(CommandIDs.askDataFrame, {
    label: args =>
      args.inRow
        ? trans.__('About a DataFrame…')
        : trans.__('Ask About a DataFrame…'),
    caption: trans.__('Ask for code that uses DataFrames in the kernel'),
    isEnabled: () => current()?.cell instanceof CodeCell,
    execute: () => open(true)
  });
  commands.addCommand(CommandIDs.fix, {
    label: trans.__('Fix This Cell’s Error'),
    caption: trans.__(
      'Ask for a fix; the last lines of the error are sent along'
    ),
    isEnabled: () => cellErrorText(current()?.cell ?? null) !== null,
    execute: () => {
      const found = current();
      found?.asks.fix(found.cell);
    }
  });
  commands.addCommand(CommandIDs.accept, {
    label: trans.__('Accept Suggestion'),
    isEnabled: isSuggested,
    execute: () => model()?.accept()
  });
  commands.addCommand(CommandIDs.reject, {
    label: trans.__('Reject Suggestion'),
    isEnabled: isSuggested,
    execute: () => model()?.reject()
  });
  commands.addCommand(CommandIDs.stop, {
    label: trans.__('Stop Generating'),
    isEnabled: () => model()?.isBusy ?? false,
    execute: () => model()?.stop()
  });
  commands.addCommand(CommandIDs.preview, {
    label: trans.__('Show What Will Be Sent'),
    caption: trans.__('Show exactly what will be sent to the model'),
    isEnabled: () => model() !== null,
    execute: async () => {
      try {
        const asking = model();
        if (asking) {
          const { target, state, written } = asking;
          const request = asking.requestOf(written);
          await showPreview(
            await preview(api, request, target, state.cellModel),
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
    isEnabled: () => current() !== null,
    execute: () => {
      open(false);
      return model()?.reset();
    }
  });
}

/** The menu behind the row's “⋯”. */
function rowMenu(app: JupyterFrontEnd): Menu {
  const menu = new Menu({ commands: app.commands });
  menu.addItem({ command: CommandIDs.askDataFrame, args: { inRow: true } });
  menu.addItem({ command: CommandIDs.reset });
  menu.addItem({ command: CommandIDs.preview });
  if (app.commands.hasCommand(CommandIDs.showReplay)) {
    menu.addItem({ type: 'separator' });
    menu.addItem({ command: CommandIDs.showReplay });
  }
  menu.aboutToClose.connect(() => {
    // Its command may still be under way.
    requestAnimationFrame(() => menu.dispose());
  });
  return menu;
}
