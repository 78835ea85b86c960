/**
 * Writes a new copy of the first-steps notebook, a tutorial, into the person's files.
 *
 * Invariant: existing files are never overwritten. Each copy of the notebook is written into a new
 * folder, together with the data file that the notebook reads.
 */
import type { INotebookContent } from '@jupyterlab/nbformat';
import type { INotebookModel } from '@jupyterlab/notebook';
import type { Contents } from '@jupyterlab/services';
import type { TranslationBundle } from '@jupyterlab/translation';

import { findFreePath } from '../../../api/freePath';
import { sourceOf } from '../../../cells/source';

/** The methods of JupyterLab's contents manager that `writeFirstSteps` needs. */
export type FolderApi = Pick<Contents.IManager, 'get' | 'save'>;

/**
 * Create a folder, write the files into it, and return the folder's path. The path is `folder` or,
 * if `folder` already exists, `folder` with a number at its end, such as `first-steps-2`.
 *
 * @throws The error of the contents manager.
 */
export async function writeFirstSteps(
  contents: FolderApi,
  folder: string,
  files: Record<string, { notebook: unknown } | { text: string }>
): Promise<string> {
  const path = await findFreePath(contents, count =>
    count === 1 ? folder : `${folder}-${count}`
  );
  await contents.save(path, { type: 'directory' });
  for (const [name, file] of Object.entries(files)) {
    await contents.save(
      `${path}/${name}`,
      'text' in file
        ? { type: 'file', format: 'text', content: file.text }
        : { type: 'notebook', format: 'json', content: file.notebook }
    );
  }
  return path;
}

/**
 * Return the notebook in the language of the interface. `scripts/translations.py` collects the
 * texts of its Markdown cells.
 */
export function translateNotebook(
  notebook: INotebookContent,
  trans: TranslationBundle
): INotebookContent {
  const cells = notebook.cells.map(cell =>
    cell.cell_type === 'markdown'
      ? { ...cell, source: trans.gettext([cell.source].flat().join('')) }
      : cell
  );
  return { ...notebook, cells };
}

/** Return the data file with the names of its cities and products in the language of the interface. */
export function translateData(csv: string, trans: TranslationBundle): string {
  const names = new Map([
    ['Beijing', trans.__('Beijing')],
    ['Berlin', trans.__('Berlin')],
    ['Lagos', trans.__('Lagos')],
    ['São Paulo', trans.__('São Paulo')],
    ['Shanghai', trans.__('Shanghai')],
    ['coffee', trans.__('coffee')],
    ['juice', trans.__('juice')],
    ['milk', trans.__('milk')],
    ['tea', trans.__('tea')],
    ['water', trans.__('water')]
  ]);
  // No value of the file contains a comma or a quotation mark.
  return csv.replace(/[^,\n]+/g, value => names.get(value) ?? value);
}

/**
 * Keep an opened notebook clean until its cells are changed. JupyterLab writes the kernel's name
 * and language into the metadata of each notebook that it opens. This alone is nothing to save.
 */
export function ignoreKernelMetadata(model: INotebookModel): void {
  const sources = () =>
    JSON.stringify([...model.cells].map(cell => sourceOf(cell.sharedModel)));
  const opened = sources();
  const clean = () => {
    if (sources() === opened) {
      model.dirty = false;
    }
  };
  clean(); // The kernel may have started already.
  model.metadataChanged.connect((_, { key }) => {
    if (key === 'language_info' || key === 'kernelspec') {
      // JupyterLab marks the notebook after this signal.
      void Promise.resolve().then(clean);
    }
  });
}
