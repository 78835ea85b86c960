import type { NotebookPanel } from '@jupyterlab/notebook';

/** Whether what is done to the notebook can't be saved. */
export function isReadOnly(panel: NotebookPanel): boolean {
  const { model, contentsModel } = panel.context;
  return model.readOnly || contentsModel?.writable === false;
}
