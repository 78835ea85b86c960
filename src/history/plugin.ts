/** Provides `IHistory`, which reads histories from the server and records new changes there. */
import {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';

import { ApiClient } from '../api/client';
import { HistoryModel } from './model/history';
import { IHistory } from '../tokens';

export const historyPlugin: JupyterFrontEndPlugin<IHistory> = {
  id: 'aiserver:history',
  description: 'Reads and records the histories on the server.',
  autoStart: true,
  provides: IHistory,
  activate: (app: JupyterFrontEnd) => {
    const api = new ApiClient(app.serviceManager.serverSettings);
    const history = new HistoryModel(api);
    // If unsent writes would be lost, the browser asks whether to leave the page.
    window.addEventListener('beforeunload', event => {
      if (history.hasUnsent) {
        event.preventDefault();
      }
    });
    return history;
  }
};
