/** The command that asks about a data file selected in JupyterLab's file browser. */
import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { Cell } from '@jupyterlab/cells';
import { PathExt } from '@jupyterlab/coreutils';
import type { IFileBrowserFactory } from '@jupyterlab/filebrowser';
import type { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import type { KernelSpec } from '@jupyterlab/services';
import type { TranslationBundle } from '@jupyterlab/translation';

import { forbiddenText } from '../../../labels/failureText';
import { isForbidden } from '../../../state/features';
import { CommandIDs } from '../../../tokens';
import { askIcon } from '../../../ui/icons';
import { fileMention, isDataFile } from '../../model/context/mentions';

/** The Jupyter server's own drives; `RTC` is jupyter-collaboration's. */
const SERVER_DRIVES = ['', 'RTC'];

export function addAskAboutFile(
  app: JupyterFrontEnd,
  tracker: INotebookTracker,
  browsers: Pick<IFileBrowserFactory, 'tracker'>,
  loadRows: (panel: NotebookPanel) => Promise<{
    cellForNewCode: (text: string) => Cell | null;
    insertText: (cell: Cell, text: string) => void;
  }>,
  trans: TranslationBundle
): void {
  const { commands, serviceManager } = app;
  const { contents, kernelspecs } = serviceManager;

  const isOnServer = (path: string) =>
    SERVER_DRIVES.includes(contents.driveName(path));

  const selectedFile = (): string | null => {
    const items = [...(browsers.tracker.currentWidget?.selectedItems() ?? [])];
    const [{ path, type } = { path: '', type: '' }] = items;
    // The server doesn't read hidden files.
    const isHidden = /(^|\/)\./.test(contents.localPath(path));
    const isData = type !== 'directory' && isDataFile(path);
    return items.length === 1 && isData && isOnServer(path) && !isHidden
      ? path
      : null;
  };

  const createNotebook = async (cwd: string): Promise<NotebookPanel | null> => {
    await kernelspecs.ready;
    const kernelName = pythonKernel(kernelspecs.specs);
    const panel: NotebookPanel | undefined = await commands.execute(
      'notebook:create-new',
      // Without a name, JupyterLab lets the person choose a kernel.
      { cwd, ...(kernelName ? { kernelName } : {}) }
    );
    return panel ?? null;
  };

  commands.addCommand(CommandIDs.askAboutFile, {
    label: trans.__('Ask About This File'),
    caption: isForbidden('files')
      ? forbiddenText('files', trans)
      : trans.__('Ask for code that uses the selected data file'),
    icon: askIcon,
    isVisible: () => selectedFile() !== null,
    isEnabled: () => selectedFile() !== null && !isForbidden('files'),
    describedBy: { args: { type: 'object', properties: {} } },
    execute: async () => {
      const path = selectedFile();
      if (!path) {
        return;
      }
      const current = tracker.currentWidget;
      const panel =
        current && isOnServer(current.context.path)
          ? current
          : await createNotebook(PathExt.dirname(path));
      if (!panel) {
        return;
      }
      await panel.context.ready;
      await panel.revealed;
      app.shell.activateById(panel.id);
      const folder = PathExt.dirname(panel.context.localPath);
      const file = contents.localPath(path);
      const name = PathExt.relative(`/${folder}`, `/${file}`);
      const text = `${fileMention(name)} `;
      const rows = await loadRows(panel);
      const cell = rows.cellForNewCode(text);
      if (cell) {
        rows.insertText(cell, text);
      }
    }
  });
}

function pythonKernel(specs: KernelSpec.ISpecModels | null): string | null {
  const names = Object.keys(specs?.kernelspecs ?? {}).filter(
    name => specs?.kernelspecs[name]?.language.toLowerCase() === 'python'
  );
  const isDefault = (name: string) => name === specs?.default;
  return names.find(isDefault) ?? names[0] ?? null;
}
