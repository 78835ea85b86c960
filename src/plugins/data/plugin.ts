/** Adds the data view and its command. */
import {
  ILayoutRestorer,
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { INotebookTracker } from '@jupyterlab/notebook';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import { localeFor } from '../../labels/formats';
import { CommandIDs, IPromptRows } from '../../tokens';
import { focusAfterPalette } from '../../ui/palette';
import { DataModel } from './model/dataModel';
import { NotebookData } from './model/notebookData';
import { NotebookKernel } from './model/notebookKernel';
import { DataPanel } from './view/panel';

export const dataPlugin: JupyterFrontEndPlugin<void> = {
  id: 'aiserver:data',
  description: 'A sidebar that shows the DataFrames and arrays of the kernel.',
  autoStart: true,
  requires: [INotebookTracker],
  optional: [ITranslator, ICommandPalette, ILayoutRestorer, IPromptRows],
  activate: (
    { commands, shell }: JupyterFrontEnd,
    tracker: INotebookTracker,
    translator: ITranslator | null,
    palette: ICommandPalette | null,
    restorer: ILayoutRestorer | null,
    rows: IPromptRows | null
  ) => {
    translator ??= nullTranslator;
    const trans = translator.load('aiserver');
    const locale = localeFor(translator);
    const model = new DataModel({
      tracker,
      createData: panel => new NotebookData(new NotebookKernel(panel), locale),
      mention: rows && ((...args) => rows.mention(...args))
    });
    const panel = new DataPanel(model, translator);
    panel.disposed.connect(() => model.dispose());
    // Below the replay.
    shell.add(panel, 'right', { rank: 851, type: 'AI Server' });
    restorer?.add(panel, panel.id);

    commands.addCommand(CommandIDs.showData, {
      label: trans.__('Show Data'),
      caption: trans.__('Show the DataFrames and arrays of the kernel'),
      describedBy: { args: { type: 'object', properties: {} } },
      execute: () => focusAfterPalette(() => shell.activateById(panel.id))
    });
    const category = trans.__('AI Server');
    palette?.addItem({ command: CommandIDs.showData, category });
  }
};
