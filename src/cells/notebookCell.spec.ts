import type { NotebookPanel } from '@jupyterlab/notebook';
import { nullTranslator } from '@jupyterlab/translation';

import type { INotebookIdentity } from '../tokens';
import { IRequestOptions, NotebookCell } from './notebookCell';

function notebookCell(
  cells: [type: string, source: string][],
  options?: IRequestOptions
): NotebookCell {
  const model = {
    cells: cells.map(([type, source], index) => ({
      id: `c${index}`,
      type,
      sharedModel: { getSource: () => source }
    })),
    getMetadata: () => undefined
  };
  const panel = {
    context: { model },
    content: { model, widgets: [] },
    sessionContext: { kernelDisplayName: 'Python 3', specsManager: {} }
  } as unknown as NotebookPanel;
  const identity = {} as INotebookIdentity;
  const trans = nullTranslator.load('aiserver');
  return new NotebookCell(
    panel,
    `c${cells.length - 1}`,
    identity,
    trans,
    null,
    options && (() => options)
  );
}

const surroundings = (options?: IRequestOptions) =>
  notebookCell([], options).surroundings();

describe('NotebookCell', () => {
  it('adds the choices that differ from the defaults to a request', () => {
    const rulesFiles = [{ path: 'AGENTS.md', sha256: 'a' }];
    const chosen = surroundings({
      rulesFiles,
      condensesTurns: false,
      usesNote: true
    });
    expect(chosen.context.usesNote).toBe(true);
    expect(chosen.condensesTurns).toBe(false);
    expect(chosen.context.rulesFiles).toEqual(rulesFiles);
    for (const options of [undefined, { condensesTurns: true }]) {
      const standard = surroundings(options);
      expect(standard).not.toHaveProperty('condensesTurns');
      expect(standard.context).not.toHaveProperty('rulesFiles');
      expect(standard.context).not.toHaveProperty('usesNote');
    }
  });

  it('reads sources with the line breaks of the page', () => {
    const cell = notebookCell([
      ['code', 'a = 1\r\nb = 2'],
      ['code', 'c']
    ]);
    expect(cell.codeAbove()).toBe('a = 1\nb = 2');
    expect(cell.surroundings().context.cells).toMatchObject([
      { source: 'a = 1\nb = 2' }
    ]);
  });

  it('finds the code of the nearest code cell above', () => {
    const own: [string, string] = ['code', ''];
    const codeAbove = (...cells: [string, string][]) =>
      notebookCell([...cells, own]).codeAbove();
    expect(codeAbove(['code', 'a'], ['code', 'b'])).toBe('b');
    expect(
      codeAbove(['code', 'a'], ['markdown', 'b'], ['code', ' '], own, [
        'code',
        '%%ai\nc'
      ])
    ).toBe('a');
    expect(codeAbove(['markdown', 'b'])).toBe('');
  });
});
