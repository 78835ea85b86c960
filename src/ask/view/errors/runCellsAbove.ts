/** Runs the cells above a cell, by JupyterLab's own command. */
import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { NotebookPanel } from '@jupyterlab/notebook';

/** Run the cells above the one with this id. The row that has the focus has to take it again. */
export function runCellsAbove(
  { commands }: Pick<JupyterFrontEnd, 'commands'>,
  { content }: NotebookPanel,
  cellId: string
): void {
  const index = content.widgets.findIndex(cell => cell.model.id === cellId);
  if (index > 0) {
    content.activeCellIndex = index;
    // The command would move the focus from a row into the notebook, some time later.
    const focused = document.activeElement as HTMLElement | null;
    if (focused?.closest('.jp-AIServer-Ask')) {
      focused.blur();
    }
    // Without `activate`, the command doesn't activate the notebook's tab, which is active.
    void commands.execute('notebook:run-all-above', { activate: false });
  }
}
