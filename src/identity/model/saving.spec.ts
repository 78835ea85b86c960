import type { NotebookPanel } from '@jupyterlab/notebook';
import type { Contents } from '@jupyterlab/services';

import { saveNotebook } from './saving';

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
  it('lets JupyterLab look for conflicts where one person works', async () => {
    const { context, contents, panel } = setup(false);
    await saveNotebook(panel, contents, 'rtc');
    expect(context.save).toHaveBeenCalledTimes(1);
    expect(contents.save).not.toHaveBeenCalled();
  });

  it('has the server write what people share, which takes its own file for nobody else’s', async () => {
    const { context, contents, panel } = setup(true);
    await saveNotebook(panel, contents, 'rtc');
    expect(context.save).not.toHaveBeenCalled();
    expect(contents.save).toHaveBeenCalledWith('a.ipynb', {
      type: 'notebook',
      format: 'json',
      contentProviderId: 'rtc'
    });
  });

  it('saves in the usual way where it isn’t known who writes it', async () => {
    const { context, panel, contents } = setup(true);
    await saveNotebook(panel, contents, undefined);
    expect(context.save).toHaveBeenCalledTimes(1);
  });
});
