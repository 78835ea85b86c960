/** Opens the first-steps notebook, a tutorial, from the launcher, the Help menu and the palette. */
import {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ICommandPalette, Notification } from '@jupyterlab/apputils';
import { PathExt } from '@jupyterlab/coreutils';
import { ILauncher } from '@jupyterlab/launcher';
import { INotebookTracker } from '@jupyterlab/notebook';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import {
  ignoreKernelMetadata,
  translateData,
  translateNotebook,
  writeFirstSteps
} from './model/firstSteps';
import { CommandIDs } from '../../tokens';
import { askIcon } from '../../ui/icons';

const NOTEBOOK = 'first-steps.ipynb';

export const firstStepsPlugin: JupyterFrontEndPlugin<void> = {
  id: 'aiserver:first-steps',
  description: 'Opens the first-steps notebook, a tutorial.',
  autoStart: true,
  optional: [ITranslator, ILauncher, ICommandPalette, INotebookTracker],
  activate: (
    app: JupyterFrontEnd,
    translator: ITranslator | null,
    launcher: ILauncher | null,
    palette: ICommandPalette | null,
    tracker: INotebookTracker | null
  ) => {
    const trans = (translator ?? nullTranslator).load('aiserver');
    const category = trans.__('AI Server');
    const command = CommandIDs.firstSteps;
    app.commands.addCommand(command, {
      label: args =>
        args.isLauncher || args.isPalette
          ? trans.__('First Steps')
          : trans.__('AI Server: First Steps'),
      caption: trans.__(
        'A five-minute notebook that shows how to ask for code'
      ),
      describedBy: { args: { type: 'object', properties: {} } },
      icon: args => (args.isLauncher ? askIcon : undefined),
      execute: async () => {
        try {
          // Load the notebook and its data only now, because most pages never need them.
          const [notebook, data] = await Promise.all([
            import('../../../examples/first-steps.ipynb'),
            import('../../../examples/data.csv')
          ]);
          const folder = await writeFirstSteps(
            app.serviceManager.contents,
            'first-steps',
            {
              'data.csv': { text: translateData(data.default, trans) },
              [NOTEBOOK]: {
                notebook: translateNotebook(notebook.default, trans)
              }
            }
          );
          await app.commands.execute('docmanager:open', {
            path: `${folder}/${NOTEBOOK}`
          });
        } catch (reason) {
          console.error(
            'AI Server could not create the first-steps notebook.',
            reason
          );
          Notification.error(
            trans.__(
              'The notebook could not be created here. Check that this folder is not read-only.'
            ),
            { autoClose: 8000 }
          );
        }
      }
    });
    // Also if it is opened as a file, for example by `make lab`.
    tracker?.widgetAdded.connect((_, { context }) => {
      if (PathExt.basename(context.path) === NOTEBOOK) {
        void context.ready.then(() => ignoreKernelMetadata(context.model));
      }
    });
    launcher?.add({
      command,
      category,
      args: { isLauncher: true },
      // With this rank, the card is directly below the launcher's notebooks, where new users look.
      categoryRank: 10
    });
    palette?.addItem({ command, category, args: { isPalette: true } });
  }
};
