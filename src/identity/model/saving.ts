/**
 * Writing the notebook's file.
 *
 * What must hold: nobody is asked a question that they did not bring about. Where people work
 * together (jupyter-collaboration) the server writes the file, also by itself after each change,
 * and `context.save` takes what it has just written for somebody else's work: it asks whether to
 * overwrite or to revert, and waits. So there the server is told to write, and nothing more.
 */
import type { NotebookPanel } from '@jupyterlab/notebook';
import type { Contents } from '@jupyterlab/services';

/**
 * @param contents Where files are.
 * @param shared Names who writes notebooks that people share; undefined where nobody does.
 */
export async function saveNotebook(
  { context }: NotebookPanel,
  contents: Pick<Contents.IManager, 'save'>,
  shared: string | undefined
): Promise<void> {
  if (!context.model.collaborative || shared === undefined) {
    return context.save();
  }
  await contents.save(context.path, {
    type: 'notebook',
    format: 'json',
    contentProviderId: shared
  });
}
