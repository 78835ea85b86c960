import {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ICommandPalette, Notification } from '@jupyterlab/apputils';
import { PathExt } from '@jupyterlab/coreutils';
import { INotebookTracker } from '@jupyterlab/notebook';
import {
  ITranslator,
  TranslationBundle,
  nullTranslator
} from '@jupyterlab/translation';

import { ApiClient } from '../../api/client';
import type { Export, ExportFormat } from '../../api/types';
import { toFailure } from '../../state/failure';
import { CommandIDs, INotebookIdentity } from '../../tokens';
import { failureText } from '../../labels/failureText';

const FORMATS: readonly ExportFormat[] = ['html', 'md', 'ipynb'];
const MEDIA_TYPES: Record<ExportFormat, string> = {
  html: 'text/html',
  md: 'text/markdown',
  ipynb: 'application/x-ipynb+json'
};

export const sharingPlugin: JupyterFrontEndPlugin<void> = {
  id: 'aiserver:sharing',
  description: 'Exports the replay of a notebook as one file.',
  autoStart: true,
  requires: [INotebookTracker, INotebookIdentity],
  optional: [ITranslator, ICommandPalette],
  activate: (
    app: JupyterFrontEnd,
    tracker: INotebookTracker,
    identity: INotebookIdentity,
    translator: ITranslator | null,
    palette: ICommandPalette | null
  ) => {
    const { commands, serviceManager } = app;
    const trans = (translator ?? nullTranslator).load('aiserver');
    const api = new ApiClient(serviceManager.serverSettings);
    const notebookId = () => {
      const panel = tracker.currentWidget;
      return panel && identity.get(panel);
    };

    commands.addCommand(CommandIDs.exportReplay, {
      label: args =>
        commandLabel(toFormat(args.format), Boolean(args.isMenu), trans),
      caption: trans.__('Download the history of this notebook as one file'),
      describedBy: {
        args: {
          type: 'object',
          properties: {
            format: {
              type: 'string',
              enum: [...FORMATS],
              description: trans.__('File format')
            },
            isMenu: {
              type: 'boolean',
              description: trans.__(
                'Whether the command is shown in a menu of formats'
              )
            }
          }
        }
      },
      isEnabled: () => notebookId() !== null,
      execute: async args => {
        const panel = tracker.currentWidget;
        const id = notebookId();
        if (!panel || id === null) {
          return;
        }
        const format = toFormat(args.format);
        const path = serviceManager.contents.localPath(panel.context.path);
        try {
          const file = await api.exportReplay(id, format, path);
          download(file, MEDIA_TYPES[format]);
        } catch (reason) {
          const text = failureText(toFailure(reason), trans);
          Notification.error(text, { autoClose: 5000 });
        }
      }
    });
    commands.addCommand(CommandIDs.exportUsage, {
      label: trans.__('Export Tokens and Costs as CSV'),
      caption: trans.__(
        'Download a table of all requests in this notebook, with their tokens, times and costs'
      ),
      describedBy: { args: { type: 'object', properties: {} } },
      isEnabled: () => notebookId() !== null,
      execute: async () => {
        const panel = tracker.currentWidget;
        const id = notebookId();
        if (!panel || id === null) {
          return;
        }
        const name = PathExt.basename(panel.context.path, '.ipynb');
        try {
          // Spreadsheets recognise UTF-8 only with a byte order mark.
          const content = `\ufeff${await api.usageTable(id)}`;
          download({ name: `${name}-usage.csv`, content }, 'text/csv');
        } catch (reason) {
          const text = failureText(toFailure(reason), trans);
          Notification.error(text, { autoClose: 5000 });
        }
      }
    });
    const notifyChanged = () => {
      commands.notifyCommandChanged(CommandIDs.exportReplay);
      commands.notifyCommandChanged(CommandIDs.exportUsage);
    };
    tracker.currentChanged.connect(notifyChanged);
    identity.changed.connect(notifyChanged);
    palette?.addItem({
      command: CommandIDs.exportUsage,
      category: trans.__('AI Server')
    });
    for (const format of FORMATS) {
      palette?.addItem({
        command: CommandIDs.exportReplay,
        category: trans.__('AI Server'),
        args: { format }
      });
    }
  }
};

function toFormat(value: unknown): ExportFormat {
  return FORMATS.find(format => format === value) ?? 'html';
}

function commandLabel(
  format: ExportFormat,
  isMenu: boolean,
  trans: TranslationBundle
): string {
  const [shortLabel, fullLabel] = {
    html: [trans.__('Web Page'), trans.__('Export Replay as Web Page')],
    md: [trans.__('Markdown'), trans.__('Export Replay as Markdown')],
    ipynb: [
      trans.__('Notebook with History'),
      trans.__('Export Replay as Notebook with History')
    ]
  }[format];
  return isMenu ? shortLabel : fullLabel;
}

/** Let the browser save the file. The file is never displayed, because it may contain scripts. */
function download({ name, content }: Export, mediaType: string): void {
  const url = URL.createObjectURL(
    new Blob([content], { type: `${mediaType};charset=utf-8` })
  );
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // Some browsers read the URL only after the click event, so the URL stays valid for a minute.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
