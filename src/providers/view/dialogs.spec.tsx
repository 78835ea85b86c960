import { Dialog } from '@jupyterlab/apputils';
import { nullTranslator } from '@jupyterlab/translation';
import { act } from 'react';

import { ModelChoice } from '../model/modelChoice';
import { ModelsApiFake } from '../model/models.fakes';
import { connectProvider, showLocalModels } from './dialogs';

describe('connectProvider', () => {
  afterEach(() => Dialog.flush());

  it('stays open on Enter in a field, which submits the form', async () => {
    const choice = new ModelChoice(new ModelsApiFake());
    choice.refresh = async () => undefined;
    const trans = nullTranslator.load('aiserver');
    const services = {
      choice,
      trans,
      connect: jest.fn(),
      openLocalModels: async () => undefined
    };
    const done = connectProvider(services);
    await act(async () => undefined);
    const dialog = document.querySelector('.jp-Dialog')!;
    const field = document.createElement('input');
    dialog.querySelector('.jp-Dialog-body')!.append(field);
    field.focus();

    const enter = () =>
      new KeyboardEvent('keydown', {
        key: 'Enter',
        keyCode: 13,
        bubbles: true,
        cancelable: true
      });
    const first = enter();
    field.dispatchEvent(first);
    await act(async () => undefined);

    expect(first.defaultPrevented).toBe(false);
    expect(dialog.isConnected).toBe(true);

    const close = dialog.querySelector<HTMLElement>('.jp-mod-reject')!;
    close.focus();
    close.dispatchEvent(enter());

    expect(await done).toBe(false);
  });
});

describe('showLocalModels', () => {
  afterEach(() => Dialog.flush());

  it('stays open on Enter on a button of a model', async () => {
    // P38
    const api = new ModelsApiFake();
    const choice = new ModelChoice(api);
    const trans = nullTranslator.load('aiserver');
    const done = showLocalModels({
      choice,
      trans,
      connect: jest.fn(),
      openLocalModels: async () => undefined
    });
    await act(async () => undefined);
    const dialog = document.querySelector('.jp-Dialog')!;
    const install = dialog.querySelector<HTMLElement>('li button')!;
    expect(install.textContent).toBe('Install');
    install.focus();
    const enter = new KeyboardEvent('keydown', {
      key: 'Enter',
      keyCode: 13,
      bubbles: true,
      cancelable: true
    });
    // In some versions of JupyterLab, the base class would close the dialog.
    const handle = jest.spyOn(Dialog.prototype, 'handleEvent');
    install.dispatchEvent(enter);
    expect(handle).not.toHaveBeenCalled();
    handle.mockRestore();
    expect(enter.defaultPrevented).toBe(false); // So the browser presses the button.
    expect(dialog.isConnected).toBe(true);
    await act(async () =>
      dialog.querySelector<HTMLElement>('.jp-mod-reject')!.click()
    );
    await done;
    expect(api.names).toEqual(['models']); // P4
  });
});
