/**
 * What a request says of the notebook around a cell: the cells before it, and the language.
 *
 * What must hold: outputs are never part of it, and it fits the limits of the HTTP API.
 */
import type { INotebookModel, NotebookPanel } from '@jupyterlab/notebook';

import type { ContextCell } from '../api/types';

const MAX_CELLS = 2000;
const MAX_SOURCE = 200_000;

/** The cells before the one with this id, in the notebook's order, the nearest ones. */
export function cellsBefore(
  model: INotebookModel,
  cellId: string
): ContextCell[] {
  const before: ContextCell[] = [];
  for (const cell of model.cells) {
    if (cell.id === cellId) {
      break;
    }
    const source = cell.sharedModel.getSource();
    if (source.trim()) {
      before.push({
        cellId: cell.id,
        cellType: cell.type as ContextCell['cellType'],
        source: source.slice(0, MAX_SOURCE)
      });
    }
  }
  return before.slice(-MAX_CELLS);
}

/** The language of the notebook, as its kernel calls it: `python`, `R`, `julia`. */
export function languageOf(model: INotebookModel): string {
  const info = model.getMetadata('language_info') as
    { name?: string } | undefined;
  const spec = model.getMetadata('kernelspec') as
    { language?: string } | undefined;
  const name = info?.name || spec?.language || model.defaultKernelLanguage;
  return (name || 'python').slice(0, 64);
}

/** The kernel, as people see it. */
export function kernelOf(panel: NotebookPanel): string {
  return panel.sessionContext.kernelDisplayName.slice(0, 256);
}
