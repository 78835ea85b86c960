import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { IFileBrowserFactory } from '@jupyterlab/filebrowser';
import {
  type INotebookTracker,
  NotebookModel,
  type NotebookPanel
} from '@jupyterlab/notebook';
import { NBTestUtils } from '@jupyterlab/notebook/lib/testutils';
import { nullTranslator } from '@jupyterlab/translation';
import { PageConfig } from '@jupyterlab/coreutils';
import { CommandRegistry } from '@lumino/commands';

import { NewCells } from '../../../cells/emptyCell';
import { CommandIDs } from '../../../tokens';
import { addAskAboutFile } from './askAboutFile';

/** The type and the source of each. */
type Cells = readonly (readonly ['code' | 'markdown', string])[];

function panelWith(path: string, cells: Cells, readOnly = false) {
  const content = NBTestUtils.createNotebook();
  content.model = new NotebookModel();
  const { sharedModel } = content.model;
  sharedModel.insertCells(
    0,
    cells.map(([cell_type, source]) => ({ cell_type, source }))
  );
  sharedModel.deleteCell(cells.length); // A new model has an empty cell.
  content.activeCellIndex = 0;
  const ready = Promise.resolve();
  const localPath = path.replace(/^RTC:/, '');
  const context = { ready, path, localPath, model: { readOnly } };
  return { id: 'nb', content, context, revealed: ready };
}

function setup(
  selected: readonly { path: string; type?: string }[],
  panel: ReturnType<typeof panelWith> | null,
  kernels: Record<string, { language: string }> = {
    ir: { language: 'R' },
    python3: { language: 'python' }
  }
) {
  const commands = new CommandRegistry();
  const created = panelWith('sub/Untitled.ipynb', [['code', '']]);
  const create = jest.fn(() => created);
  commands.addCommand('notebook:create-new', { execute: create });
  const activate = jest.fn();
  const insert = jest.fn();
  let newCells: NewCells | undefined;
  const driveName = (path: string) => path.match(/^(\w+):/)?.[1] ?? '';
  addAskAboutFile(
    {
      commands,
      shell: { activateById: activate },
      serviceManager: {
        contents: {
          driveName,
          localPath: (path: string) => path.replace(/^\w+:/, '')
        },
        kernelspecs: {
          ready: Promise.resolve(),
          specs: { default: Object.keys(kernels)[0], kernelspecs: kernels }
        }
      }
    } as unknown as JupyterFrontEnd,
    { currentWidget: panel } as unknown as INotebookTracker,
    {
      tracker: {
        currentWidget: {
          selectedItems: () =>
            selected.map(item => ({ type: 'file', ...item })).values()
        }
      }
    } as unknown as IFileBrowserFactory,
    async (target: NotebookPanel) => ({
      cellForNewCode: text => {
        newCells = new NewCells(target);
        return newCells.provide(text);
      },
      insertText: (cell, text) =>
        insert(
          text,
          target.content.widgets.indexOf(cell),
          cell.model.type,
          target.content.widgets.length
        )
    }),
    nullTranslator.load('aiserver')
  );
  const id = CommandIDs.askAboutFile;
  return {
    activate,
    create,
    insert,
    isVisible: () => commands.isVisible(id),
    isEnabled: () => commands.isEnabled(id),
    run: () => commands.execute(id),
    close: (cellId: string, text: string) => newCells?.onClosed(cellId, text)
  };
}

describe('Ask About This File', () => {
  afterEach(() => PageConfig.setOption('aiserverFeatures', ''));

  it.each([
    ['a.csv', true],
    ['sub/销售 2024.XLSX', true],
    ['shop.db', true],
    ['RTC:a.parquet', true],
    ['a.py', false],
    ['a.csv.gz', false],
    ['.secret.csv', false],
    ['.hidden/a.csv', false],
    ['bucket:a.csv', false],
    ['a"b.csv', false]
  ])('is offered for data files of the server only: %s', (path, expected) => {
    const t = setup([{ path }], null);
    expect(t.isVisible()).toBe(expected);
    expect(t.isEnabled()).toBe(expected);
  });

  it('is offered for one file only, and not for a folder', () => {
    expect(setup([], null).isVisible()).toBe(false);
    const two = [{ path: 'a.csv' }, { path: 'b.csv' }];
    expect(setup(two, null).isVisible()).toBe(false);
    const folder = [{ path: 'a.csv', type: 'directory' }];
    expect(setup(folder, null).isVisible()).toBe(false);
  });

  it('is disabled if the administrator forbids files', () => {
    PageConfig.setOption('aiserverFeatures', '{"files": "forbidden"}');
    const t = setup([{ path: 'a.csv' }], null);
    expect([t.isVisible(), t.isEnabled()]).toEqual([true, false]);
  });

  it.each([
    ['a.ipynb', 'data/my sales.csv', '@"data/my sales.csv" '],
    ['sub/a.ipynb', 'sub/a.csv', '@a.csv '],
    ['sub/deep/a.ipynb', 'data/数据.csv', '@../../data/数据.csv '],
    ['RTC:sub/a.ipynb', 'RTC:a.csv', '@../a.csv ']
  ])(
    'mentions the file relative to the notebook’s folder: %s, %s',
    async (notebook, path, mention) => {
      const t = setup([{ path }], panelWith(notebook, [['code', '\n']]));
      await t.run();
      expect(t.insert).toHaveBeenCalledWith(mention, 0, 'code', 1);
      expect(t.activate).toHaveBeenCalledWith('nb');
      expect(t.create).not.toHaveBeenCalled();
    }
  );

  it.each<[string, Cells]>([
    [
      'code',
      [
        ['code', 'x = 1'],
        ['code', 'y']
      ]
    ],
    [
      'Markdown',
      [
        ['markdown', ''],
        ['code', 'y']
      ]
    ]
  ])('adds a code cell below a cell with %s', async (_, cells) => {
    const t = setup([{ path: 'a.csv' }], panelWith('a.ipynb', cells));
    await t.run();
    expect(t.insert).toHaveBeenCalledWith('@a.csv ', 1, 'code', 3);
  });

  it('removes the new cell if the row is closed before anything was sent', async () => {
    const panel = panelWith('a.ipynb', [['code', 'x']]);
    const t = setup([{ path: 'my sales.csv' }], panel);
    await t.run();
    const { id } = panel.content.widgets[1].model;
    expect(t.close(id, '@"my sales.csv"')).toBe(true);
    expect(panel.content.widgets).toHaveLength(1);
    await t.run();
    const typed = panel.content.widgets[1].model;
    expect(t.close(typed.id, '@"my sales.csv" the mean')).toBe(false);
    expect(panel.content.widgets).toHaveLength(2);
  });

  it('adds no cell to a read-only notebook', async () => {
    const panel = panelWith('a.ipynb', [['code', 'x']], true);
    const t = setup([{ path: 'a.csv' }], panel);
    await t.run();
    expect(t.insert).toHaveBeenCalledWith('@a.csv ', 0, 'code', 1);
  });

  it('creates a notebook with a Python kernel next to the file if none is open', async () => {
    const t = setup([{ path: 'sub/a.csv' }], null);
    await t.run();
    const [[args]] = t.create.mock.calls as unknown as [[unknown]];
    expect(args).toEqual({ cwd: 'sub', kernelName: 'python3' });
    expect(t.insert).toHaveBeenCalledWith('@a.csv ', 0, 'code', 1);
  });

  it('lets the person choose a kernel if there is no Python kernel', async () => {
    const t = setup([{ path: 'a.csv' }], null, { ir: { language: 'R' } });
    await t.run();
    const [[args]] = t.create.mock.calls as unknown as [[unknown]];
    expect(args).toEqual({ cwd: '' });
  });
});
