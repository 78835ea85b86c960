/** Asks once per repository how git should treat its histories. */
import {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import { ApiClient } from '../api/client';
import { IHistory } from '../tokens';
import { askAboutGit } from './view/gitAdvice';

export const gitAdvicePlugin: JupyterFrontEndPlugin<void> = {
  id: 'aiserver:git-advice',
  description: 'Asks once per repository how git should treat its histories.',
  autoStart: true,
  requires: [IHistory],
  optional: [ITranslator],
  activate: (
    app: JupyterFrontEnd,
    history: IHistory,
    translator: ITranslator | null
  ) => {
    const api = new ApiClient(app.serviceManager.serverSettings);
    const askOnce = () => {
      history.changed.disconnect(askOnce);
      askAboutGit({
        repository: () => api.undecidedRepository(),
        decide: choice => api.decideGit(choice),
        storage: window.localStorage,
        trans: (translator ?? nullTranslator).load('aiserver')
      }).catch(reason => {
        console.warn('AI Server could not look for a git repository.', reason);
      });
    };
    history.changed.connect(askOnce);
  }
};
