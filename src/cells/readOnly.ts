import type { NotebookPanel } from '@jupyterlab/notebook';

export function isReadOnly(panel: NotebookPanel): boolean {
  const { model, contentsModel } = panel.context;
  return model.readOnly || contentsModel?.writable === false;
}
