import type { NotebookPanel } from '@jupyterlab/notebook';
import { nullTranslator } from '@jupyterlab/translation';

import type { INotebookIdentity } from '../tokens';
import { IRequestOptions, NotebookCell } from './notebookCell';

function surroundings(options?: IRequestOptions) {
  const model = { cells: [], getMetadata: () => undefined };
  const panel = {
    context: { model },
    content: { widgets: [] },
    sessionContext: { kernelDisplayName: 'Python 3', specsManager: {} }
  } as unknown as NotebookPanel;
  const identity = {} as INotebookIdentity;
  const trans = nullTranslator.load('aiserver');
  return new NotebookCell(
    panel,
    'c1',
    identity,
    trans,
    null,
    options && (() => options)
  ).surroundings();
}

describe('NotebookCell', () => {
  it('adds the choices that differ from the defaults to a request', () => {
    const rulesFiles = [{ path: 'AGENTS.md', sha256: 'a' }];
    const chosen = surroundings({ rulesFiles, condensesTurns: false });
    expect(chosen.condensesTurns).toBe(false);
    expect(chosen.context.rulesFiles).toEqual(rulesFiles);
    for (const options of [undefined, { condensesTurns: true }]) {
      const standard = surroundings(options);
      expect(standard).not.toHaveProperty('condensesTurns');
      expect(standard.context).not.toHaveProperty('rulesFiles');
    }
  });
});
