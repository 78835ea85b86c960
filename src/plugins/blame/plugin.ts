/**
 * Adds two commands: “Show Authorship” shows the contributor of each line in a cell's editor, and
 * “Show Step for This Line” opens the replay at the step that wrote the line at the cursor.
 */
import {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ICommandPalette, IToolbarWidgetRegistry } from '@jupyterlab/apputils';
import type { Cell } from '@jupyterlab/cells';
import { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import type { BlameLine } from '../../api/types';
import { CommandIDs, IHistory, INotebookIdentity } from '../../tokens';
import { addCellButton } from '../../ui/cellButton';
import { blameIcon } from '../../ui/icons';
import { loadPart } from '../../ui/lazy';
import { localeFor } from '../../labels/formats';
import type { NotebookBlame } from './view/notebookBlame';

export const blamePlugin: JupyterFrontEndPlugin<void> = {
  id: 'aiserver:blame',
  description: 'Shows who wrote each line of a cell.',
  autoStart: true,
  requires: [INotebookTracker, IHistory, INotebookIdentity],
  optional: [ICommandPalette, ITranslator, IToolbarWidgetRegistry],
  activate: (
    app: JupyterFrontEnd,
    tracker: INotebookTracker,
    history: IHistory,
    identity: INotebookIdentity,
    palette: ICommandPalette | null,
    translator: ITranslator | null,
    toolbars: IToolbarWidgetRegistry | null
  ) => {
    const { commands } = app;
    translator ??= nullTranslator;
    const trans = translator.load('aiserver');
    const locale = localeFor(translator);
    const notebookBlames = new WeakMap<NotebookPanel, NotebookBlame>();

    const getOrCreateBlame = async (
      panel: NotebookPanel
    ): Promise<NotebookBlame> => {
      const load = () => import('./view/notebookBlame');
      const { NotebookBlame } = await loadPart(load, trans);
      let notebookBlame = notebookBlames.get(panel);
      if (!notebookBlame) {
        notebookBlame = new NotebookBlame({
          panel,
          history,
          identity,
          trans,
          locale,
          showStep: (cellId, line) => {
            if (commands.hasCommand(CommandIDs.showStep)) {
              void commands.execute(
                CommandIDs.showStep,
                stepLocation(cellId, line)
              );
            }
          }
        });
        notebookBlames.set(panel, notebookBlame);
      }
      return notebookBlame;
    };

    /**
     * Return the active cell and its panel; null without a cell, or if the notebook has no history.
     */
    const currentCell = (): { panel: NotebookPanel; cell: Cell } | null => {
      const panel = tracker.currentWidget;
      const cell = panel?.content.activeCell;
      return panel && cell && identity.get(panel) !== null
        ? { panel, cell }
        : null;
    };
    /** Return the gutter of the active cell, unless the gutter is turned off. */
    const currentBlame = () => {
      const current = currentCell();
      return current && notebookBlames.get(current.panel)?.get(current.cell);
    };

    const describedBy = { args: { type: 'object', properties: {} } } as const;
    commands.addCommand(CommandIDs.blame, {
      label: trans.__('Show Authorship'),
      caption: trans.__(
        'Show which lines of this cell were written by AI and which by hand'
      ),
      describedBy,
      icon: args => (args.isMenu ? undefined : blameIcon),
      isEnabled: () => currentCell() !== null,
      isVisible: () => currentCell() !== null,
      isToggleable: true,
      isToggled: () => Boolean(currentBlame()),
      execute: async () => {
        const current = currentCell();
        if (current) {
          const notebookBlame = await getOrCreateBlame(current.panel);
          notebookBlame.toggle(current.cell);
          commands.notifyCommandChanged(CommandIDs.blame);
        }
      }
    });
    commands.addCommand(CommandIDs.showStepOfLine, {
      label: trans.__('Show Step for This Line'),
      caption: trans.__('Open the replay at the step that wrote this line'),
      describedBy,
      isEnabled: () => currentCell() !== null,
      execute: () => {
        const current = currentCell();
        if (!current) {
          return;
        }
        const blame = currentBlame();
        if (!blame) {
          // The contributors are loaded only when the gutter is turned on.
          return commands.execute(CommandIDs.blame);
        }
        const line = blame.lineAtCursor;
        if (line && line.step !== null) {
          const location = stepLocation(current.cell.model.id, line);
          return commands.execute(CommandIDs.showStep, location);
        }
      }
    });
    if (toolbars) {
      addCellButton(toolbars, 'blame', commands, CommandIDs.blame);
    }
    const notifyChanged = () => commands.notifyCommandChanged(CommandIDs.blame);
    tracker.activeCellChanged.connect(notifyChanged);
    identity.changed.connect(notifyChanged);
    const category = trans.__('AI Server');
    palette?.addItem({ command: CommandIDs.blame, category });
    palette?.addItem({ command: CommandIDs.showStepOfLine, category });
  }
};

/** Return the step that wrote a line, which may be that of another cell (`copiedFrom`). */
function stepLocation(cellId: string, { copiedFrom, step, seq }: BlameLine) {
  return copiedFrom ?? { cellId, step, seq };
}
