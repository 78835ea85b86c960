/** Provides `IHistory`: what the server has kept of cells. */
import {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';

import { ApiClient } from '../api/client';
import { HistoryModel } from './model/history';
import { IHistory } from '../tokens';

export const historyPlugin: JupyterFrontEndPlugin<IHistory> = {
  id: 'aiserver:history',
  description: 'Provides what the server has kept of cells.',
  autoStart: true,
  provides: IHistory,
  activate: (app: JupyterFrontEnd) => {
    const api = new ApiClient(app.serviceManager.serverSettings);
    const history = new HistoryModel(api);
    window.addEventListener('beforeunload', event => {
      if (history.isWaiting) {
        event.preventDefault();
      }
    });
    return history;
  }
};
