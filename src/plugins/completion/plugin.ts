/** Adds the completion of code to JupyterLab's inline completer. */
import {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { Notification } from '@jupyterlab/apputils';
import { ICompletionProviderManager } from '@jupyterlab/completer';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import { ApiClient } from '../../api/client';
import { failureText } from '../../labels/failureText';
import type { IFailure } from '../../state/failure';
import { isForbidden } from '../../state/features';
import { CommandIDs, IPromptRows } from '../../tokens';
import { CompletionProvider } from './model/provider';

export const completionPlugin: JupyterFrontEndPlugin<void> = {
  id: 'aiserver:completion',
  description: 'Completes code while you type, with a model on this computer.',
  autoStart: true,
  optional: [ICompletionProviderManager, IPromptRows, ITranslator],
  activate: (
    app: JupyterFrontEnd,
    manager: ICompletionProviderManager | null,
    rows: IPromptRows | null,
    translator: ITranslator | null
  ) => {
    const trans = (translator ?? nullTranslator).load('aiserver');
    let isReported = false;
    const onNoModel = (failure: IFailure) => {
      if (isReported) {
        return; // Each pause of the person would show the message again.
      }
      isReported = true;
      const canInstall = app.commands.hasCommand(CommandIDs.localModels);
      Notification.warning(failureText(failure, trans), {
        autoClose: false,
        actions: canInstall
          ? [
              {
                label: trans.__('Install a model…'),
                callback: () =>
                  void app.commands.execute(CommandIDs.localModels)
              }
            ]
          : []
      });
    };
    manager?.registerInlineProvider(
      new CompletionProvider({
        api: new ApiClient(app.serviceManager.serverSettings),
        name: isForbidden('completion')
          ? trans.__('AI Server (turned off by your administrator)')
          : trans.__('AI Server (on this computer)'),
        rows,
        onNoModel
      })
    );
  }
};
