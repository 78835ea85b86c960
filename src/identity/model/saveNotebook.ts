/**
 * Saves a notebook without showing an unnecessary dialog.
 *
 * If a notebook is shared (jupyter-collaboration), the server writes the file by itself after each
 * change. `context.save` would take the server's write for a conflict, and ask the person whether
 * to overwrite the file or to reload it. So for a shared notebook, `saveNotebook` asks the server
 * to save it.
 */
import type { NotebookPanel } from '@jupyterlab/notebook';
import type { Contents } from '@jupyterlab/services';

/**
 * Save a notebook. Rejects if the save fails.
 *
 * @param sharedProviderId - The id of the content provider that saves shared notebooks; undefined
 * if jupyter-collaboration isn't installed.
 */
export async function saveNotebook(
  { context }: NotebookPanel,
  contents: Pick<Contents.IManager, 'save'>,
  sharedProviderId: string | undefined
): Promise<void> {
  if (!context.model.collaborative || sharedProviderId === undefined) {
    return context.save();
  }
  await contents.save(context.path, {
    type: 'notebook',
    format: 'json',
    contentProviderId: sharedProviderId
  });
}
