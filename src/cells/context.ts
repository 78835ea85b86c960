/**
 * Reads the context of a cell for a request.
 *
 * Invariants: it contains no outputs, only whether a cell's last run failed, and doesn't exceed the
 * limits of the HTTP API.
 */
import type { INotebookModel, NotebookPanel } from '@jupyterlab/notebook';

import { errorOutput } from './cellError';
import type { CellType, ContextCell } from '../api/types';
import { sourceOf } from './source';

/** The limit of the HTTP API. */
const MAX_CELLS = 2000;
/** The limit of the HTTP API. */
const MAX_SOURCE = 200_000;
/**
 * The maximum total length of the sources. A character takes at most six bytes in JSON, so they fit
 * into the 3 MiB that the HTTP API accepts. A prompt needs far less.
 */
const MAX_CHARACTERS = 500_000;

/**
 * Return the cells above a cell that aren't empty, from top to bottom; beyond the limits, only the
 * nearest ones.
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

/** Matches the magics `%%ai` and `%ai`: running them would ask a model. */
const AI_MAGIC = /^[ \t]*%%?ai\b/m;

/**
 * Return the sources of the code cells above a cell, from top to bottom, without empty ones and
 * requests to a model.
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

/** An unknown type becomes `raw`. */
export function toCellType(type: string | undefined): CellType {
  return type === 'code' || type === 'markdown' ? type : 'raw';
}

/**
 * Return the language of the notebook's kernel as kernels name it, such as `python`, `R` or `julia`.
 *
 * JupyterLab writes it into the notebook's metadata when a kernel runs. Else it is taken from the
 * specification of the installed kernel or, without one, from the kernel's name.
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

/** `xpython -> python` */
function languageOfKernel(name: unknown): string | undefined {
  if (name === 'ir') {
    return 'R';
  }
  return /^(python|julia|xpython|xr|xcpp)/
    .exec(String(name))?.[1]
    .replace(/^x/, '');
}

/** Metadata of a file may have any type. */
function asRecord(value: unknown): Record<string, unknown> {
  return value && typeof value === 'object'
    ? (value as Record<string, unknown>)
    : {};
}

/** Return the kernel specification's name; empty if there is none. */
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
