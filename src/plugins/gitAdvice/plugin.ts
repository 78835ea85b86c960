/** Asks once for each git repository whether git should ignore or track the histories in it. */
import {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import { ApiClient } from '../../api/client';
import { IHistory } from '../../tokens';
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
    const trans = (translator ?? nullTranslator).load('aiserver');
    // Ask when a history is first written after the page was opened.
    const askOnce = async () => {
      history.changed.disconnect(askOnce);
      try {
        const repository = await api.undecidedRepository();
        askAboutGit(repository, choice => api.decideGit(choice), trans);
      } catch (reason) {
        console.warn('AI Server could not look for a git repository.', reason);
      }
    };
    history.changed.connect(askOnce);
  }
};
