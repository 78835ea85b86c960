import type { INotebookContent } from '@jupyterlab/nbformat';
import { NotebookModel } from '@jupyterlab/notebook';
import type { TranslationBundle } from '@jupyterlab/translation';

import {
  FolderApi,
  ignoreKernelMetadata,
  translateData,
  translateNotebook,
  writeFirstSteps
} from './firstSteps';

/** A fake contents manager: `get` returns existing files or fails with status 404. */
function folderWith(...names: string[]) {
  const saved: Record<string, unknown> = {};
  const contents = {
    get: async (path: string) => {
      if (!names.includes(path)) {
        throw Object.assign(new Error('no'), { response: { status: 404 } });
      }
      return {};
    },
    save: async (path: string, model: { content?: unknown }) => {
      saved[path] = model.content;
    }
  } as unknown as FolderApi;
  return { contents, saved };
}

const FILES = {
  'a.ipynb': { notebook: { cells: [] } },
  'a.csv': { text: 'x' }
};

describe('writeFirstSteps', () => {
  it('writes the notebook and its data into a new folder', async () => {
    const { contents, saved } = folderWith();
    expect(await writeFirstSteps(contents, 'first', FILES)).toBe('first');
    expect(saved).toEqual({
      first: undefined,
      'first/a.ipynb': { cells: [] },
      'first/a.csv': 'x'
    });
  });

  it('never overwrites existing files', async () => {
    const { contents, saved } = folderWith('first', 'first-2');
    expect(await writeFirstSteps(contents, 'first', FILES)).toBe('first-3');
    expect(Object.keys(saved).every(path => /^first-3/.test(path))).toBe(true);
  });

  it('writes nothing if the folder can’t be read', async () => {
    const { contents, saved } = folderWith();
    contents.get = async () => {
      throw Object.assign(new Error('no'), { response: { status: 403 } });
    };
    await expect(writeFirstSteps(contents, 'first', FILES)).rejects.toThrow();
    expect(saved).toEqual({});
  });
});

describe('translateNotebook', () => {
  const trans = {
    gettext: (text: string) => (text === 'Ask\nfor it' ? '提问' : text)
  } as TranslationBundle;

  it('translates the Markdown cells and nothing else', () => {
    const notebook = {
      metadata: {},
      nbformat: 4,
      nbformat_minor: 5,
      cells: [
        { cell_type: 'markdown', source: ['Ask\n', 'for it'], metadata: {} },
        { cell_type: 'code', source: 'Ask\nfor it', metadata: {} },
        { cell_type: 'markdown', source: 'new', metadata: {} }
      ]
    } as INotebookContent;
    const before = JSON.parse(JSON.stringify(notebook));
    const { cells, ...rest } = translateNotebook(notebook, trans);
    expect(cells.map(cell => cell.source)).toEqual([
      '提问',
      'Ask\nfor it',
      'new'
    ]);
    expect(rest).toEqual({ metadata: {}, nbformat: 4, nbformat_minor: 5 });
    expect(notebook).toEqual(before);
  });
});

describe('translateData', () => {
  it('translates the values, and keeps the columns and the figures', () => {
    const trans = {
      __: (text: string) => ({ tea: '茶', Shanghai: '上海' })[text] ?? text
    } as unknown as TranslationBundle;
    const csv = 'date,city,product,price\n2026-01-01,Shanghai,tea,9.89\n';
    expect(translateData(csv, trans)).toBe(
      'date,city,product,price\n2026-01-01,上海,茶,9.89\n'
    );
  });
});

describe('an opened notebook', () => {
  let model: NotebookModel;
  const settled = () => new Promise(resolve => setTimeout(resolve));

  beforeEach(() => {
    model = new NotebookModel();
    model.sharedModel.addCell({ cell_type: 'markdown', source: 'Ask' });
    model.dirty = false;
    ignoreKernelMetadata(model);
  });
  afterEach(() => model.dispose());

  it('stays clean when its kernel has told its language', async () => {
    model.setMetadata('language_info', { name: 'python', version: '3.14' });
    await settled();
    expect(model.dirty).toBe(false);
  });

  it('is dirty once a cell was changed', async () => {
    model.cells.get(0).sharedModel.setSource('mine');
    model.setMetadata('language_info', { name: 'python', version: '3.14' });
    await settled();
    expect(model.dirty).toBe(true);
  });
});
