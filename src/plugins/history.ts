/** Provides `IHistory`: what the server has kept of cells. */
import {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';

import { ApiClient } from '../api/client';
import { HistoryModel } from '../models/history';
import { IHistory } from '../tokens';

export const historyPlugin: JupyterFrontEndPlugin<IHistory> = {
  id: 'aiserver:history',
  description: 'Provides what the server has kept of cells.',
  autoStart: true,
  provides: IHistory,
  activate: (app: JupyterFrontEnd) =>
    new HistoryModel(new ApiClient(app.serviceManager.serverSettings))
};
