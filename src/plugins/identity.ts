/** Provides `INotebookIdentity`, and follows the open notebooks. */
import {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { INotebookTracker } from '@jupyterlab/notebook';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import { ApiClient } from '../api/client';
import { NotebookIdentity } from '../notebook/identity';
import { INotebookIdentity } from '../tokens';

export const identityPlugin: JupyterFrontEndPlugin<INotebookIdentity> = {
  id: 'aiserver:identity',
  description: 'Gives notebooks the id under which their sessions are kept.',
  autoStart: true,
  provides: INotebookIdentity,
  requires: [INotebookTracker],
  optional: [ITranslator],
  activate: (
    app: JupyterFrontEnd,
    tracker: INotebookTracker,
    translator: ITranslator | null
  ) => {
    const api = new ApiClient(app.serviceManager.serverSettings);
    const identity = new NotebookIdentity({
      register: body => api.openNotebook(body),
      trans: (translator ?? nullTranslator).load('aiserver')
    });
    tracker.forEach(panel => void identity.observe(panel));
    tracker.widgetAdded.connect((_, panel) => void identity.observe(panel));
    return identity;
  }
};
