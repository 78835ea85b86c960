/**
 * Saves a notebook without an unnecessary dialog.
 *
 * With jupyter-collaboration, the server writes the file, even without a request, after each
 * change. `context.save` would mistake the server's write for a conflict, and ask whether to
 * overwrite or to revert. So only the server saves a shared notebook.
 */
import type { NotebookPanel } from '@jupyterlab/notebook';
import type { Contents } from '@jupyterlab/services';

/**
 * @param contents The contents manager.
 * @param sharedProviderId The content provider of shared notebooks; undefined if there is none.
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
