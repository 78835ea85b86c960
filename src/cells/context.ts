/**
 * Reads the context of a cell for a request: the cells before it, the kernel and the language.
 *
 * Invariant: the context contains no outputs, and fits the limits of the HTTP API.
 */
import type { INotebookModel, NotebookPanel } from '@jupyterlab/notebook';

import type { CellType, ContextCell } from '../api/types';

const MAX_CELLS = 2000;
const MAX_SOURCE = 200_000;
// The largest number of characters of all sources together: far more than a prompt needs, and, at
// three bytes each, well below the API's limit.
const MAX_CHARACTERS = 500_000;

/** The nearest cells before the cell with this id, in the notebook's order. */
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
  let remaining = MAX_CHARACTERS;
  const end = nearest.findIndex(
    ({ source }) => (remaining -= source!.length) < 0
  );
  return nearest.slice(0, end < 0 ? undefined : end).reverse();
}

/** A cell's type; types of a later nbformat count as raw text. */
export function toCellType(type: string | undefined): CellType {
  return type === 'code' || type === 'markdown' ? type : 'raw';
}

/**
 * The language of the notebook's kernel, by the kernel's name for it: `python`, `R`, `julia`.
 *
 * A running kernel writes the language into the metadata. If there is none, it is read from the
 * kernel's specification, or from the kernel's name if the kernel isn't installed.
 */
export function languageOf(panel: NotebookPanel): string {
  const { model } = panel.context;
  const spec = asRecord(model.getMetadata('kernelspec'));
  const { specsManager } = panel.sessionContext;
  const installed = specsManager.specs?.kernelspecs[String(spec.name)];
  const language = [
    asRecord(model.getMetadata('language_info')).name,
    spec.language,
    installed?.language,
    languageOfKernel(spec.name),
    model.defaultKernelLanguage
  ].find(name => typeof name === 'string' && name.trim());
  return ((language as string | undefined) ?? 'python').trim().slice(0, 64);
}

function languageOfKernel(name: unknown): string | undefined {
  if (name === 'ir') {
    return 'R';
  }
  return /^(python|julia|xpython|xr|xcpp)/
    .exec(String(name))?.[1]
    .replace(/^x/, '');
}

/**
 * Return metadata as an object; an empty one if it isn't an object, which nbformat would forbid.
 */
function asRecord(value: unknown): Record<string, unknown> {
  return value && typeof value === 'object'
    ? (value as Record<string, unknown>)
    : {};
}

/** The kernel's display name. */
export function kernelOf(panel: NotebookPanel): string {
  return panel.sessionContext.kernelDisplayName.slice(0, 256);
}
