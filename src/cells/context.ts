/**
 * Reads the context of a cell for a request: the cells above the cell, the kernel's name and the
 * language.
 *
 * Invariants: the context contains no outputs, only whether a cell's last run failed. The context
 * doesn't exceed the limits of the HTTP API.
 */
import type { INotebookModel, NotebookPanel } from '@jupyterlab/notebook';

import { errorOutput } from './cellError';
import type { CellType, ContextCell } from '../api/types';
import { sourceOf } from './source';

/** The maximum number of cells in a context: the limit of the HTTP API. */
const MAX_CELLS = 2000;
/** The maximum length of one cell's source: the limit of the HTTP API. */
const MAX_SOURCE = 200_000;
/**
 * The maximum total length of the sources. A prompt needs far less. In JSON, a character takes at
 * most six bytes, so the sources fit into the 3 MiB that the HTTP API accepts.
 */
const MAX_CHARACTERS = 500_000;

/**
 * Return the cells above the cell with this id, from top to bottom. If they exceed the limits,
 * return only the nearest ones. Empty cells are left out.
 */
export function cellsBefore(
  model: INotebookModel,
  cellId: string
): ContextCell[] {
  const cellsAbove: ContextCell[] = [];
  for (const cell of model.cells) {
    if (cell.id === cellId) {
      break;
    }
    const source = sourceOf(cell.sharedModel);
    if (source.trim()) {
      cellsAbove.push({
        cellId: cell.id,
        cellType: toCellType(cell.type),
        source: source.slice(0, MAX_SOURCE),
        ...(errorOutput(cell) && { failed: true })
      });
    }
  }
  const nearestFirst = cellsAbove.reverse().slice(0, MAX_CELLS);
  let remainingCharacters = MAX_CHARACTERS;
  const end = nearestFirst.findIndex(
    ({ source }) => (remainingCharacters -= source!.length) < 0
  );
  return nearestFirst.slice(0, end < 0 ? undefined : end).reverse();
}

/** Matches a request by the magics `%%ai` and `%ai`: running it would ask a model. */
const AI_MAGIC = /^[ \t]*%%?ai\b/m;

/**
 * Return the sources of the code cells above the cell with this id, from top to bottom, without
 * empty ones and without requests to a model.
 */
export function codeCellsBefore(
  model: INotebookModel,
  cellId: string
): string[] {
  const sources: string[] = [];
  for (const cell of model.cells) {
    if (cell.id === cellId) {
      break;
    }
    const source = sourceOf(cell.sharedModel);
    if (cell.type === 'code' && source.trim() && !AI_MAGIC.test(source)) {
      sources.push(source);
    }
  }
  return sources;
}

/** Convert a cell's type to a type of the HTTP API. An unknown type becomes `raw`. */
export function toCellType(type: string | undefined): CellType {
  return type === 'code' || type === 'markdown' ? type : 'raw';
}

/**
 * Return the language of the notebook's kernel as kernels name it, such as `python`, `R` or
 * `julia`.
 *
 * JupyterLab writes the language into the notebook's metadata when a kernel runs. If the metadata
 * has no language, the language is taken from the specification of the installed kernel. If the
 * kernel isn't installed, the language is derived from the kernel's name.
 */
export function languageOf(panel: NotebookPanel): string {
  const { model } = panel.context;
  const spec = asRecord(model.getMetadata('kernelspec'));
  const { specsManager } = panel.sessionContext;
  const installedSpec = specsManager.specs?.kernelspecs[String(spec.name)];
  const language = [
    asRecord(model.getMetadata('language_info')).name,
    spec.language,
    installedSpec?.language,
    languageOfKernel(spec.name),
    model.defaultKernelLanguage
  ].find(name => typeof name === 'string' && name.trim());
  return ((language as string | undefined) ?? 'python').trim().slice(0, 64);
}

/** Derive the language from the name of a kernel that isn't installed: `xpython -> python`. */
function languageOfKernel(name: unknown): string | undefined {
  if (name === 'ir') {
    return 'R';
  }
  return /^(python|julia|xpython|xr|xcpp)/
    .exec(String(name))?.[1]
    .replace(/^x/, '');
}

/** Return a metadata value that should be an object; an empty object if the value is invalid. */
function asRecord(value: unknown): Record<string, unknown> {
  return value && typeof value === 'object'
    ? (value as Record<string, unknown>)
    : {};
}

/** Return the name of the specification of the notebook's kernel; empty if it has none. */
export function kernelSpecOf({
  context,
  sessionContext
}: NotebookPanel): string {
  const spec = asRecord(context.model.getMetadata('kernelspec'));
  return String(sessionContext.session?.kernel?.name ?? spec.name ?? '');
}

export function kernelNameOf(panel: NotebookPanel): string {
  return panel.sessionContext.kernelDisplayName.slice(0, 256);
}
