/**
 * What a request says of the notebook around a cell: the cells before it, and the language.
 *
 * What must hold: outputs are never part of it, and it fits the limits of the HTTP API.
 */
import type { INotebookModel, NotebookPanel } from '@jupyterlab/notebook';

import type { CellType, ContextCell } from '../api/types';

const MAX_CELLS = 2000;
const MAX_SOURCE = 200_000;
// In all: many times what a prompt holds, and (at three bytes each) well below what the API takes.
const MAX_CHARACTERS = 500_000;

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
        cellType: toCellType(cell.type),
        source: source.slice(0, MAX_SOURCE)
      });
    }
  }
  const nearest = before.reverse().slice(0, MAX_CELLS);
  let left = MAX_CHARACTERS;
  const far = nearest.findIndex(({ source }) => (left -= source!.length) < 0);
  return nearest.slice(0, far < 0 ? undefined : far).reverse();
}

/** The cell's type; one that a later nbformat adds is text to us. */
export function toCellType(type: string | undefined): CellType {
  return type === 'code' || type === 'markdown' ? type : 'raw';
}

/**
 * What the notebook's kernel runs, as the kernel calls it: `python`, `R`, `julia`.
 *
 * A running kernel writes what it is into the metadata; where none has run yet, its
 * specification says so, and where it isn't installed here, its name.
 */
export function languageOf(panel: NotebookPanel): string {
  const { model } = panel.context;
  const spec = asRecord(model.getMetadata('kernelspec'));
  const { specsManager } = panel.sessionContext;
  const installed = specsManager.specs?.kernelspecs[String(spec.name)];
  const found = [
    asRecord(model.getMetadata('language_info')).name,
    spec.language,
    installed?.language,
    languageOfKernel(spec.name),
    model.defaultKernelLanguage
  ].find(name => typeof name === 'string' && name.trim());
  return ((found as string | undefined) ?? 'python').trim().slice(0, 64);
}

function languageOfKernel(name: unknown): string | undefined {
  if (name === 'ir') {
    return 'R';
  }
  return /^(python|julia|xpython|xr|xcpp)/
    .exec(String(name))?.[1]
    .replace(/^x/, '');
}

/** Metadata may hold anything, whatever nbformat says. */
function asRecord(value: unknown): Record<string, unknown> {
  return value && typeof value === 'object'
    ? (value as Record<string, unknown>)
    : {};
}

/** The kernel, as people see it. */
export function kernelOf(panel: NotebookPanel): string {
  return panel.sessionContext.kernelDisplayName.slice(0, 256);
}
