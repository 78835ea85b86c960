/**
 * Saves a notebook without an unnecessary dialog.
 *
 * The server writes a shared notebook (jupyter-collaboration) by itself after each change.
 * `context.save` would take that for a conflict, and ask the person whether to overwrite or reload
 * the file. So the server is asked to save it.
 */
import type { NotebookPanel } from '@jupyterlab/notebook';
import type { Contents } from '@jupyterlab/services';

/**
 * Rejects if the save fails.
 *
 * @param sharedProviderId - The id of the content provider that saves shared notebooks; undefined if
 * jupyter-collaboration isn't installed.
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
