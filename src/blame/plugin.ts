/** Who wrote each line, in the cell's own editor, when a person wants to see it. */
import {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ICommandPalette, IToolbarWidgetRegistry } from '@jupyterlab/apputils';
import type { Cell } from '@jupyterlab/cells';
import { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import type { BlameLine } from '../api/types';
import { NotebookBlame } from './view/notebookBlame';
import { CommandIDs, IHistory, INotebookIdentity } from '../tokens';
import { addCellButton } from '../ui/cellButton';
import { blameProblem, blameWords } from './view/blameLabels';
import { blameIcon } from '../ui/icons';
import { pickLocale } from '../labels/locale';

export const blamePlugin: JupyterFrontEndPlugin<void> = {
  id: 'aiserver:blame',
  description: 'Shows who wrote each line of a cell: a model, or a hand.',
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
    const language = translator.languageCode ?? 'en';
    const locale = pickLocale(language, navigator.languages ?? []);
    const words = blameWords(trans, locale);
    const all = new WeakMap<NotebookPanel, NotebookBlame>();

    const blamesOf = (panel: NotebookPanel): NotebookBlame => {
      let blames = all.get(panel);
      if (!blames) {
        blames = new NotebookBlame({
          panel,
          history,
          identity,
          words,
          problem: failure => blameProblem(failure, trans),
          show: (cellId, line) => {
            if (commands.hasCommand(CommandIDs.showStep)) {
              void commands.execute(CommandIDs.showStep, placeOf(cellId, line));
            }
          }
        });
        all.set(panel, blames);
      }
      return blames;
    };

    /** The cell in which the person is, of a notebook that has a history. */
    const current = (): { panel: NotebookPanel; cell: Cell } | null => {
      const panel = tracker.currentWidget;
      const cell = panel?.content.activeCell;
      return panel && cell && identity.get(panel) !== null
        ? { panel, cell }
        : null;
    };
    const blame = () => {
      const found = current();
      return (found && all.get(found.panel)?.get(found.cell)) ?? null;
    };
    const line = () => blame()?.atCursor ?? null;

    const describedBy = { args: { type: 'object', properties: {} } } as const;
    commands.addCommand(CommandIDs.blame, {
      label: trans.__('Show Authorship'),
      caption: trans.__(
        'Show which lines of this cell were written by AI and which by hand'
      ),
      describedBy,
      icon: args => (args.isMenu ? undefined : blameIcon),
      isEnabled: () => current() !== null,
      isVisible: () => current() !== null,
      isToggleable: true,
      isToggled: () => blame() !== null,
      execute: () => {
        const found = current();
        if (found) {
          blamesOf(found.panel).toggle(found.cell);
          commands.notifyCommandChanged(CommandIDs.blame);
        }
      }
    });
    commands.addCommand(CommandIDs.showLine, {
      label: trans.__('Show Step for This Line'),
      caption: trans.__('Open the replay at the step that wrote this line'),
      describedBy,
      isEnabled: () => current() !== null,
      execute: () => {
        const found = current();
        const owner = line();
        if (!found) {
          return;
        }
        if (!blame()) {
          // First it is shown; asked once more, its step.
          return commands.execute(CommandIDs.blame);
        }
        if (owner && owner.step !== null) {
          const place = placeOf(found.cell.model.id, owner);
          return commands.execute(CommandIDs.showStep, place);
        }
      }
    });
    if (toolbars) {
      addCellButton(toolbars, 'blame', commands, CommandIDs.blame);
    }
    const tell = () => commands.notifyCommandChanged(CommandIDs.blame);
    tracker.activeCellChanged.connect(tell);
    identity.changed.connect(tell);
    const category = trans.__('AI Server');
    palette?.addItem({ command: CommandIDs.blame, category });
    palette?.addItem({ command: CommandIDs.showLine, category });
  }
};

/** Where a line was written: in a cell that was merged into this one, it may be. */
function placeOf(
  cellId: string,
  line: BlameLine
): { cellId: string; step: number | null; seq: number | null } {
  const { step, seq } = line;
  return line.brought ?? { cellId, step, seq };
}
