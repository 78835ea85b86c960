/**
 * Save a notebook without an unnecessary dialog.
 *
 * With jupyter-collaboration the server writes the file, also on its own after each change.
 * `context.save` then takes the server's write for a conflict, and asks whether to overwrite or to
 * revert. So a shared notebook is saved by the server only.
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
