import { Dialog, ReactWidget } from '@jupyterlab/apputils';
import * as React from 'react';

import { LocalModels } from './local/localModels';
import { IModelServices, ModelViews } from './parts';
import { Providers } from './providers';
import { ModelSettings } from './settings';

/** Show the providers, with the form of the given one. Resolves to true if a model was chosen. */
export async function connectProvider(
  services: IModelServices,
  provider?: string
): Promise<boolean> {
  const { trans } = services;
  let isChosen = false;
  const footer = document.createElement('div');
  const dialog = createDialog(
    trans.__('Connect a provider'),
    <ModelViews services={services}>
      <Providers
        initialProvider={provider}
        footer={footer}
        onChosen={() => (isChosen = true)}
        onVerified={() => dialog.resolve(0)}
      />
    </ModelViews>,
    Dialog.cancelButton({ label: trans.__('Close') }),
    provider ? 'input:checked' : 'input[type="radio"]'
  );
  // Show the form's buttons in the dialog's footer, always in view, before its own button: when Tab
  // is pressed on that, JupyterLab moves the focus to the start of the dialog.
  dialog.node.querySelector('.jp-Dialog-footerButtons')?.prepend(footer);
  dialog.addClass('jp-AIServer-Models-connect');
  await dialog.launch();
  return isChosen;
}

export async function showLocalModels(services: IModelServices): Promise<void> {
  const { trans } = services;
  const dialog = createDialog(
    trans.__('Local models'),
    <ModelViews services={services}>
      <LocalModels />
    </ModelViews>,
    Dialog.cancelButton({ label: trans.__('Close') })
  );
  dialog.addClass('jp-AIServer-Models-local');
  await dialog.launch();
}

export async function showModelSettings(
  services: IModelServices
): Promise<void> {
  const { trans } = services;
  const view = <ModelSettings services={services} />;
  const button = Dialog.okButton({ label: trans.__('Done') });
  await createDialog(trans.__('Models'), view, button).launch();
}

function createDialog(
  title: string,
  view: React.JSX.Element,
  button: Dialog.IButton,
  focusNodeSelector?: string
): Dialog<unknown> {
  const body = ReactWidget.create(view);
  body.addClass('jp-AIServer-Models-dialog');
  const buttons = [button];
  const options = { title, body, buttons, focusNodeSelector, hasClose: true };
  return new FormDialog(options);
}

/**
 * A dialog in which our own fields and buttons handle Enter. In JupyterLab's `Dialog`, Enter presses
 * the default button even if a field has the focus, and in some versions even if another button has
 * it. That would close the dialog, and lose the entered text.
 */
class FormDialog extends Dialog<unknown> {
  override handleEvent(event: Event): void {
    const { target } = event;
    const isEnter =
      event.type === 'keydown' && (event as KeyboardEvent).key === 'Enter';
    // JupyterLab handles the key on the dialog itself or one of its own buttons.
    const isInside =
      target instanceof HTMLElement &&
      target.closest('.jp-Dialog-content') &&
      !target.closest('.jp-Dialog-button');
    if (!isEnter || !isInside) {
      super.handleEvent(event);
    }
  }
}
