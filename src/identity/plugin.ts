/** Provides `INotebookIdentity`. */
import {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import {
  INotebookTracker,
  INotebookWidgetFactory,
  NotebookWidgetFactory
} from '@jupyterlab/notebook';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import { ApiClient } from '../api/client';
import { NotebookIdentity, enqueueRegistration } from './model/identity';
import { saveNotebook } from './model/saveNotebook';
import { IHistory, INotebookIdentity } from '../tokens';

export const identityPlugin: JupyterFrontEndPlugin<INotebookIdentity> = {
  id: 'aiserver:identity',
  description: 'Manages the id under which a notebook’s sessions are stored.',
  autoStart: true,
  provides: INotebookIdentity,
  requires: [INotebookTracker, IHistory],
  optional: [ITranslator, INotebookWidgetFactory],
  activate: (
    app: JupyterFrontEnd,
    tracker: INotebookTracker,
    history: IHistory,
    translator: ITranslator | null,
    factory: NotebookWidgetFactory.IFactory | null
  ) => {
    const api = new ApiClient(app.serviceManager.serverSettings);
    const identity = new NotebookIdentity({
      register: body =>
        enqueueRegistration(history, body, () => api.openNotebook(body)),
      save: panel =>
        saveNotebook(
          panel,
          app.serviceManager.contents,
          factory?.contentProviderId
        ),
      trans: (translator ?? nullTranslator).load('aiserver')
    });
    tracker.forEach(panel => void identity.observe(panel));
    tracker.widgetAdded.connect((_, panel) => void identity.observe(panel));
    return identity;
  }
};
