/** Shows the turns of requests that were sent from cells by the magic `%%ai`. */
import { JupyterFrontEndPlugin } from '@jupyterlab/application';
import { INotebookTracker, NotebookActions } from '@jupyterlab/notebook';

import { sendsRequest, showTurn } from './model/requestRun';
import { IHistory, INotebookIdentity } from '../../tokens';
import { sourceOf } from '../../cells/source';

export const magicPlugin: JupyterFrontEndPlugin<void> = {
  id: 'aiserver:magic',
  description: 'Shows requests that were sent by the magic %%ai.',
  autoStart: true,
  requires: [INotebookTracker, IHistory, INotebookIdentity],
  activate: (
    _,
    tracker: INotebookTracker,
    history: IHistory,
    identity: INotebookIdentity
  ) => {
    NotebookActions.executed.connect((_, { notebook, cell }) => {
      const panel = tracker.find(({ content }) => content === notebook);
      if (panel && sendsRequest(sourceOf(cell.model.sharedModel))) {
        void showTurn(panel, cell.model.id, identity, history);
      }
    });
  }
};
