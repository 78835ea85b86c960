/** The commands with which a person asks for code, and the prompt row's menu. */
import type { JupyterFrontEnd } from '@jupyterlab/application';
import { Notification } from '@jupyterlab/apputils';
import { Cell, CodeCell } from '@jupyterlab/cells';
import type { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import type { TranslationBundle } from '@jupyterlab/translation';
import { Menu } from '@lumino/widgets';

import { cellErrorText } from '../../cells/cellError';
import { resultImages, resultText } from '../../cells/outputText';
import { forbiddenText } from '../../labels/failureText';
import { isForbidden } from '../../state/features';
import { CommandIDs } from '../../tokens';
import { askIcon } from '../../ui/icons';
import { VIM_ARGS, keysOf } from '../../ui/keys';
import { loadPart } from '../../ui/lazy';
import type { GenerationModel } from '../model/generation';
import type { PreviewApi } from '../model/request';
import type { SaveRecipe } from './input/saveRecipe';
import type { NotebookAskManager } from './notebookAskManager';

export function addCommands(
  app: JupyterFrontEnd,
  tracker: INotebookTracker,
  managers: {
    get(panel: NotebookPanel): NotebookAskManager | null;
    load(panel: NotebookPanel): Promise<NotebookAskManager>;
  },
  api: PreviewApi & { saveRecipe: SaveRecipe },
  trans: TranslationBundle
): void {
  const { commands } = app;

  const currentCell = (): Cell | null =>
    tracker.currentWidget?.content.activeCell ?? null;
  const currentManager = () =>
    tracker.currentWidget && managers.get(tracker.currentWidget);
  const withCell = async <T>(
    action: (manager: NotebookAskManager, cell: Cell) => T
  ): Promise<Awaited<T> | undefined> => {
    const panel = tracker.currentWidget;
    const cell = currentCell();
    return panel && cell
      ? await action(await managers.load(panel), cell)
      : undefined;
  };
  const currentModel = (): GenerationModel | null =>
    currentManager()?.get(currentCell()) ?? null;
  const requestText = (argument: unknown): string => {
    const model = currentModel();
    return typeof argument === 'string'
      ? argument
      : model?.inputText.trim() || model?.request?.typed || '';
  };
  const isSuggested = () => currentModel()?.state.phase === 'suggested';

  commands.addCommand(CommandIDs.ask, {
    label: () => {
      const isVim = tracker.currentWidget?.node.dataset.jpVimMode === 'true';
      const keys = isVim ? keysOf(commands, CommandIDs.ask, VIM_ARGS) : '';
      return keys
        ? trans.__('Ask for Code (%1 in Vim)', keys)
        : trans.__('Ask for Code');
    },
    caption: trans.__('Ask for new code or a change in this cell'),
    icon: args => (args.isMenu ? undefined : askIcon),
    isEnabled: () => tracker.currentWidget !== null,
    // The next request continues from the turn `parentTurnId`; if it is null, from the newest one.
    // Without arguments, only open the row.
    execute: ({ parentTurnId, parentTitle }) =>
      withCell((manager, cell) => {
        manager.open(cell);
        const turnId = Number(parentTurnId);
        if (parentTurnId === null || turnId >= 1) {
          const title = String(parentTitle ?? '');
          const branch = turnId ? { turnId, title } : null;
          manager.get(cell)?.branchFrom(branch);
        }
      })
  });
  commands.addCommand(CommandIDs.askDataFrame, {
    label: args =>
      args.inRow
        ? trans.__('About a DataFrame…')
        : trans.__('Ask About a DataFrame…'),
    caption: trans.__('Ask for code that uses DataFrames in the kernel'),
    isEnabled: () => currentCell() instanceof CodeCell,
    execute: () =>
      withCell(manager => {
        const cell = manager.cellForNewCode();
        if (cell) {
          manager.open(cell, true);
        }
      })
  });
  commands.addCommand(CommandIDs.askWithCurrentData, {
    label: trans.__('Ask Again With Today’s Data'),
    isEnabled: () => currentCell() !== null,
    execute: ({ text, dataframes }) =>
      withCell(async (manager, cell) => {
        const names = Array.isArray(dataframes) ? dataframes.map(String) : [];
        if (typeof text === 'string') {
          await manager.openWithCurrentData(cell, text, names);
        }
      })
  });
  commands.addCommand(CommandIDs.fix, {
    label: trans.__('Fix This Cell’s Error'),
    caption: trans.__(
      'Ask for a fix; the last lines of the error are sent along'
    ),
    isEnabled: () => cellErrorText(currentCell()) !== null,
    execute: () => withCell((manager, cell) => manager.fix(cell))
  });
  commands.addCommand(CommandIDs.explainError, {
    label: trans.__('Explain This Cell’s Error'),
    caption: trans.__(
      'Ask why the error occurs; its last lines are sent along'
    ),
    isEnabled: () => cellErrorText(currentCell()) !== null,
    execute: () => withCell((manager, cell) => manager.explainError(cell))
  });
  commands.addCommand(CommandIDs.explainResult, {
    label: trans.__('Explain This Cell’s Result'),
    caption: trans.__(
      'Begin a request about the cell’s output; it is sent only with the request'
    ),
    isEnabled: () => {
      const cell = currentCell();
      return resultText(cell) !== '' || resultImages(cell).length > 0;
    },
    execute: () =>
      withCell((manager, cell) => {
        const text = `${trans.__('/explain')} ${trans.__('@output')} `;
        manager.openWith(cell, text);
      })
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
      : trans.__('Accept the suggestion and run the cell.'),
    isEnabled: () => {
      const model = currentModel();
      const isCode = model?.target.cellType === 'code';
      return isCode && isSuggested() && !isForbidden('running');
    },
    execute: () => currentModel()?.decision.acceptAndRun()
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
      const model = currentModel();
      if (model) {
        const load = () => import('./preview');
        const { previewRequest } = await loadPart(load, trans);
        await previewRequest(model, api, commands, trans);
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
    isEnabled: () => !!currentManager()?.services.rules.list.length,
    execute: async () => {
      const manager = currentManager();
      if (manager) {
        const load = () => import('./parts/rules');
        const { showRulesFiles } = await loadPart(load, trans);
        await showRulesFiles(manager.services.rules, trans);
      }
    }
  });
  commands.addCommand(CommandIDs.saveRecipe, {
    label: trans.__('Save Request as Recipe…'),
    caption: trans.__(
      'Save the text of the request for later, as a slash word'
    ),
    isEnabled: ({ text }) => !!requestText(text).trim(),
    execute: ({ text }) =>
      withCell(async manager => {
        const path = tracker.currentWidget?.context.localPath;
        if (path) {
          const load = () => import('./input/saveRecipe');
          const { saveRecipe } = await loadPart(load, trans);
          const save: SaveRecipe = recipe => api.saveRecipe(recipe);
          await saveRecipe(requestText(text), path, save, trans);
          await manager.services.recipes.load();
        }
      })
  });
  commands.addCommand(CommandIDs.reset, {
    label: trans.__('New Conversation'),
    caption: trans.__(
      'Earlier requests stay in the history but are no longer sent to the model'
    ),
    isEnabled: () => currentCell() !== null,
    execute: () =>
      withCell((manager, cell) => {
        manager.open(cell);
        return manager.get(cell)?.reset();
      })
  });
}

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
  return menu;
}

/** Takes the focus from the row, which must restore it. A notification says if a cell failed. */
export async function runCellsAbove(
  { commands }: Pick<JupyterFrontEnd, 'commands'>,
  { content }: NotebookPanel,
  cellId: string,
  trans: TranslationBundle
): Promise<void> {
  const index = content.widgets.findIndex(cell => cell.model.id === cellId);
  if (index > 0) {
    content.activeCellIndex = index;
    // The command would move the focus from a row into the notebook, some time later.
    const focused = document.activeElement as HTMLElement | null;
    if (focused?.closest('.jp-AIServer-Ask')) {
      focused.blur();
    }
    // Without `activate`, the notebook's tab, which is active, isn't activated.
    const command = 'notebook:run-all-above';
    if ((await commands.execute(command, { activate: false })) === false) {
      Notification.error(
        trans.__('A cell above failed, so the cells after it did not run.'),
        { autoClose: 5000 }
      );
    }
  }
}
