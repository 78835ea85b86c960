import type { NotebookPanel } from '@jupyterlab/notebook';
import type { Contents } from '@jupyterlab/services';

import { saveNotebook } from './saveNotebook';

function setup(collaborative: boolean) {
  const context = {
    path: 'a.ipynb',
    model: { collaborative },
    save: jest.fn(async () => undefined)
  };
  const contents = { save: jest.fn(async () => ({}) as Contents.IModel) };
  return { context, contents, panel: { context } as unknown as NotebookPanel };
}

describe('saveNotebook', () => {
  it('lets JupyterLab check for conflicts in a notebook that isn’t shared', async () => {
    const { context, contents, panel } = setup(false);
    await saveNotebook(panel, contents, 'rtc');
    expect(context.save).toHaveBeenCalledTimes(1);
    expect(contents.save).not.toHaveBeenCalled();
  });

  it('lets the server write a shared notebook, so that no conflict is reported', async () => {
    const { context, contents, panel } = setup(true);
    await saveNotebook(panel, contents, 'rtc');
    expect(context.save).not.toHaveBeenCalled();
    expect(contents.save).toHaveBeenCalledWith('a.ipynb', {
      type: 'notebook',
      format: 'json',
      contentProviderId: 'rtc'
    });
  });

  it('saves through the context if the content provider is unknown', async () => {
    const { context, panel, contents } = setup(true);
    await saveNotebook(panel, contents, undefined);
    expect(context.save).toHaveBeenCalledTimes(1);
  });
});
