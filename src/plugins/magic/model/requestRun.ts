/**
 * Shows the turn of a request that was sent from a cell by the magic `%%ai`, after the cell has run.
 *
 * The kernel sends such a request to the server, so the page doesn't notice the new turn by itself.
 */
import type { NotebookPanel } from '@jupyterlab/notebook';

import type { IHistory, INotebookIdentity } from '../../../tokens';

const REQUEST = /^\s*%%?ai(?!\w)/m;

/** Return whether a cell's source sends a request when it is run. */
export function sendsRequest(source: string): boolean {
  return REQUEST.test(source);
}

/**
 * Give the notebook its id, as for a request in the prompt row, and let the views read the cell's
 * session again. The kernel registered a notebook without an id, and the server now gives the page
 * the same id.
 */
export async function showTurn(
  panel: NotebookPanel,
  cellId: string,
  identity: Pick<INotebookIdentity, 'ensure'>,
  history: Pick<IHistory, 'notify'>
): Promise<void> {
  try {
    const notebookId = await identity.ensure(panel);
    history.notify({ notebookId, cellId });
  } catch {
    // The notebook can't be saved. The turn is shown after the next request in the notebook.
  }
}
