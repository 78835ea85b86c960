/** Runs the cells above a cell, by JupyterLab's own command. */
import type { JupyterFrontEnd } from '@jupyterlab/application';
import { Notification } from '@jupyterlab/apputils';
import type { NotebookPanel } from '@jupyterlab/notebook';
import type { TranslationBundle } from '@jupyterlab/translation';

/** Run the cells above, and say so if one fails. The row has to take the focus again. */
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
    // Without `activate`, the command doesn't activate the notebook's tab, which is active.
    const command = 'notebook:run-all-above';
    if ((await commands.execute(command, { activate: false })) === false) {
      Notification.error(
        trans.__('A cell above failed, so the cells after it did not run.'),
        { autoClose: 5000 }
      );
    }
  }
}
