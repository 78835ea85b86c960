import type { INotebookModel } from '@jupyterlab/notebook';

import { codeCellsBefore } from './context';

function notebook(...cells: [type: string, source: string][]): INotebookModel {
  return {
    cells: cells.map(([type, source], index) => ({
      id: `c${index}`,
      type,
      sharedModel: { getSource: () => source }
    }))
  } as unknown as INotebookModel;
}

describe('the code cells above a cell', () => {
  it('are those with code, from top to bottom, without requests to a model', () => {
    const model = notebook(
      ['code', 'a = 1'],
      ['markdown', '# Title'],
      ['code', ' '],
      ['code', '%%ai\nmake it'],
      ['code', '%%aim\nb'],
      ['code', 'this one'],
      ['code', 'below']
    );
    expect(codeCellsBefore(model, 'c5')).toEqual(['a = 1', '%%aim\nb']);
    expect(codeCellsBefore(model, 'c0')).toEqual([]);
  });
});
