import type { NotebookPanel } from '@jupyterlab/notebook';

import { sendsRequest, showTurn } from './requestRun';

describe('sendsRequest', () => {
  it.each([
    ['%%ai\n画图', true],
    ['\n%%ai --model openai:x\nplot', true],
    ['x = 1\n%ai what is x', true],
    ['%%aiserver\nx', false],
    ['%%aix', false],
    ['print("%%ai")', false],
    ['', false]
  ])('%j: %s', (source, expected) => {
    expect(sendsRequest(source)).toBe(expected);
  });
});

describe('showTurn', () => {
  const panel = {} as NotebookPanel;

  it('gives the notebook its id before views read the session', async () => {
    const calls: unknown[] = [];
    const identity = {
      ensure: async (ensured: NotebookPanel) => {
        calls.push(ensured);
        return 'nb';
      }
    };
    const history = { notify: (change: unknown) => calls.push(change) };
    await showTurn(panel, 'c1', identity, history);
    expect(calls).toEqual([panel, { notebookId: 'nb', cellId: 'c1' }]);
  });

  it('does nothing if the notebook can’t be saved', async () => {
    const identity = { ensure: () => Promise.reject(new Error('disk full')) };
    const history = { notify: jest.fn() };
    await showTurn(panel, 'c1', identity, history);
    expect(history.notify).not.toHaveBeenCalled();
  });
});
