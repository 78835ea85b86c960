/** The commands with which a person asks for code, and the menu of the prompt row. */
import type { JupyterFrontEnd } from '@jupyterlab/application';
import { Notification } from '@jupyterlab/apputils';
import { Cell, CodeCell } from '@jupyterlab/cells';
import type { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import type { TranslationBundle } from '@jupyterlab/translation';
import { Menu } from '@lumino/widgets';

import { cellErrorText } from '../../cells/cellError';
import { resultImages, resultText } from '../../cells/outputText';
import { failureText, forbiddenText } from '../../labels/failureText';
import { modeLabels } from '../../labels/modeLabels';
import { toFailure } from '../../state/failure';
import { isForbidden } from '../../state/features';
import { CommandIDs } from '../../tokens';
import { askIcon } from '../../ui/icons';
import type { GenerationModel } from '../model/generation';
import { fetchPreview } from '../model/requestBody';
import { requestNumber } from '../model/state';
import { showRulesFiles } from './chips/rulesDialog';
import { SaveRecipe, saveRecipe } from './input/saveRecipe';
import { completedRequest } from './input/slashWords';
import type { NotebookAskManager } from './notebookAskManager';
import { showPreview } from './preview';

/** Add the commands that ask for code and decide on suggestions. */
export function addCommands(
  app: JupyterFrontEnd,
  tracker: INotebookTracker,
  managerOf: (panel: NotebookPanel) => NotebookAskManager,
  api: Parameters<typeof fetchPreview>[0] & { saveRecipe: SaveRecipe },
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
  /** Return the text to save as a recipe: an argument, the typed text or the last request. */
  const requestText = (argument: unknown): string => {
    const model = currentModel();
    return typeof argument === 'string'
      ? argument
      : model?.inputText.trim() || model?.request?.typed || '';
  };
  const isSuggested = () => currentModel()?.state.phase === 'suggested';

  const open = () => {
    const current = currentCell();
    current?.manager.open(current.cell);
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
        open();
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
    execute: () => {
      const manager = currentCell()?.manager;
      const cell = manager?.cellForNewCode();
      if (cell) {
        manager?.open(cell, true);
      }
    }
  });
  commands.addCommand(CommandIDs.askWithCurrentData, {
    label: trans.__('Ask Again With Today’s Data'),
    isEnabled: () => currentCell() !== null,
    execute: async ({ text, dataframes }) => {
      const current = currentCell();
      const names = Array.isArray(dataframes) ? dataframes.map(String) : [];
      if (typeof text === 'string') {
        await current?.manager.openWithCurrentData(current.cell, text, names);
      }
    }
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
  commands.addCommand(CommandIDs.explainError, {
    label: trans.__('Explain This Cell’s Error'),
    caption: trans.__(
      'Ask why the error occurs; its last lines are sent along'
    ),
    isEnabled: () => cellErrorText(currentCell()?.cell ?? null) !== null,
    execute: () => {
      const current = currentCell();
      current?.manager.explainError(current.cell);
    }
  });
  commands.addCommand(CommandIDs.explainResult, {
    label: trans.__('Explain This Cell’s Result'),
    caption: trans.__(
      'Begin a request about the cell’s output; it is sent only with the request'
    ),
    isEnabled: () => {
      const cell = currentCell()?.cell ?? null;
      return resultText(cell) !== '' || resultImages(cell).length > 0;
    },
    execute: () => {
      const current = currentCell();
      const text = `${trans.__('/explain')} ${trans.__('@output')} `;
      current?.manager.openWith(current.cell, text);
    }
  });
  commands.addCommand(CommandIDs.accept, {
    label: trans.__('Accept Suggestion'),
    isEnabled: isSuggested,
    execute: () => currentModel()?.decision.accept()
  });
  commands.addCommand(CommandIDs.acceptAndRun, {
    label: trans.__('Accept and Run Suggestion'),
    caption: isForbidden('running')
      ? forbiddenText('running', trans)
      : trans.__(
          'Accept the suggestion, run the cell, and let the model correct its errors'
        ),
    isEnabled: () => {
      const model = currentModel();
      const isCode = model?.target.cellType === 'code';
      return isCode && isSuggested() && model.runs.isAllowed;
    },
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
            await completedRequest(model, inputText),
            inputText
          );
          await showPreview(
            await fetchPreview(api, request, target, state.cellModel),
            cellId => target.cellNumber(cellId),
            turnId => requestNumber({ ...model.state, turnId }),
            trans,
            model.memory?.memory,
            commands.hasCommand(CommandIDs.showReplay)
              ? () => {
                  const args = { tab: 'notebook' };
                  void commands.execute(CommandIDs.showReplay, args);
                }
              : undefined
          );
        }
      } catch (reason) {
        const text = failureText(toFailure(reason), trans);
        Notification.error(text, { autoClose: 5000 });
      }
    }
  });
  commands.addCommand(CommandIDs.rulesFiles, {
    label: isForbidden('files')
      ? trans.__('Rules Files (Turned Off by Your Administrator)')
      : trans.__('Rules Files…'),
    caption: isForbidden('files')
      ? forbiddenText('files', trans)
      : trans.__(
          'Read the project’s rules for models, such as AGENTS.md, and choose which are sent'
        ),
    isEnabled: () => !!currentCell()?.manager.rules.list.length,
    execute: async () => {
      const current = currentCell();
      if (current) {
        await showRulesFiles(current.manager.rules, trans);
      }
    }
  });
  commands.addCommand(CommandIDs.saveRecipe, {
    label: trans.__('Save Request as Recipe…'),
    caption: trans.__(
      'Save the text of the request for later, as a slash word'
    ),
    isEnabled: ({ text }) => !!requestText(text).trim(),
    execute: async ({ text }) => {
      const current = currentCell();
      const path = tracker.currentWidget?.context.localPath;
      if (current && path) {
        const save: SaveRecipe = recipe => api.saveRecipe(recipe);
        await saveRecipe(requestText(text), path, save, trans);
        await current.manager.recipes.load();
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
      open();
      return currentModel()?.reset();
    }
  });
}

/** Create the menu that the prompt row's button “⋯” opens. */
export function createRowMenu(app: JupyterFrontEnd): Menu {
  const menu = new Menu({ commands: app.commands });
  menu.addItem({ command: CommandIDs.askDataFrame, args: { inRow: true } });
  menu.addItem({ command: CommandIDs.reset });
  menu.addItem({ command: CommandIDs.preview });
  menu.addItem({ command: CommandIDs.rulesFiles });
  menu.addItem({ command: CommandIDs.saveRecipe });
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
