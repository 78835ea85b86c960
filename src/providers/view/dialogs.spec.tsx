import { Dialog } from '@jupyterlab/apputils';
import { nullTranslator } from '@jupyterlab/translation';
import { act } from 'react';

import { ModelChoice } from '../model/modelChoice';
import { ModelsApiFake } from '../model/models.fakes';
import { connectProvider, showLocalModels } from './dialogs';

afterEach(() => Dialog.flush());

function createServices() {
  const api = new ModelsApiFake();
  const services = {
    choice: new ModelChoice(api),
    trans: nullTranslator.load('aiserver'),
    connect: jest.fn(),
    openLocalModels: async () => undefined
  };
  return { api, services };
}

const shownDialog = async () => {
  await act(async () => undefined);
  return document.querySelector('.jp-Dialog')!;
};

function pressEnter(node: HTMLElement): KeyboardEvent {
  const init = { key: 'Enter', keyCode: 13, bubbles: true, cancelable: true };
  const event = new KeyboardEvent('keydown', init);
  node.focus();
  node.dispatchEvent(event);
  return event;
}

it('connectProvider stays open on Enter in a field, which submits the form', async () => {
  const { services } = createServices();
  services.choice.refresh = async () => undefined;
  const done = connectProvider(services);
  const dialog = await shownDialog();
  const field = document.createElement('input');
  dialog.querySelector('.jp-Dialog-body')!.append(field);
  expect(pressEnter(field).defaultPrevented).toBe(false);
  await act(async () => undefined);
  expect(dialog.isConnected).toBe(true);
  pressEnter(dialog.querySelector<HTMLElement>('.jp-mod-reject')!);
  expect(await done).toBe(false);
});

it('showLocalModels stays open on Enter on a button of a model (P38)', async () => {
  const { api, services } = createServices();
  const done = showLocalModels(services);
  const dialog = await shownDialog();
  const install = dialog.querySelector<HTMLElement>('li button')!;
  expect(install.textContent).toBe('Install');
  // In some versions of JupyterLab, the base class would close the dialog.
  const handle = jest.spyOn(Dialog.prototype, 'handleEvent');
  const enter = pressEnter(install);
  const keys = handle.mock.calls.filter(([{ type }]) => type === 'keydown');
  expect(keys).toEqual([]);
  handle.mockRestore();
  expect(enter.defaultPrevented).toBe(false); // So the browser presses the button.
  expect(dialog.isConnected).toBe(true);
  await act(async () =>
    dialog.querySelector<HTMLElement>('.jp-mod-reject')!.click()
  );
  await done;
  expect(api.names).toEqual(['models']); // P4
});
