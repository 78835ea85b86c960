/**
 * The dialogs for models: one connects a provider, one installs and removes local models, and one
 * shows the settings of the models in an application without a settings editor.
 */
import { Dialog, ReactWidget } from '@jupyterlab/apputils';
import * as React from 'react';

import { LocalModels } from './local/localModels';
import type { IModelServices } from './parts';
import { Providers } from './providers';
import { ModelSettings } from './settings';

/**
 * Show the list of providers in a dialog. If a provider is given, its form is open. Resolves to
 * true if the person chose a model.
 */
export async function connectProvider(
  services: IModelServices,
  provider?: string
): Promise<boolean> {
  const { trans } = services;
  let isChosen = false;
  const footer = document.createElement('div');
  const body = ReactWidget.create(
    <Providers
      services={services}
      initialProvider={provider}
      footer={footer}
      onChosen={() => (isChosen = true)}
      onVerified={() => dialog.resolve(0)} // Close the dialog.
    />
  );
  body.addClass('jp-AIServer-Models-dialog');
  const dialog = new FormDialog({
    title: trans.__('Connect a provider'),
    body,
    buttons: [Dialog.cancelButton({ label: trans.__('Close') })],
    focusNodeSelector: provider ? 'input:checked' : 'input[type="radio"]',
    hasClose: true
  });
  // Show the form's buttons in the dialog's footer, where they are always in view. Insert them
  // before the dialog's own button. When Tab is pressed on that button, JupyterLab moves the focus
  // to the start of the dialog, so Tab would never reach buttons after it.
  dialog.node.querySelector('.jp-Dialog-footerButtons')?.prepend(footer);
  dialog.addClass('jp-AIServer-Models-connect');
  await dialog.launch();
  return isChosen;
}

/** Show the local models in a dialog. */
export async function showLocalModels(services: IModelServices): Promise<void> {
  const { trans } = services;
  const body = ReactWidget.create(<LocalModels services={services} />);
  body.addClass('jp-AIServer-Models-dialog');
  const dialog = new FormDialog({
    title: trans.__('Local models'),
    body,
    buttons: [Dialog.cancelButton({ label: trans.__('Close') })],
    hasClose: true
  });
  dialog.addClass('jp-AIServer-Models-local');
  await dialog.launch();
}

/** Show the settings of the models in a dialog. */
export async function showModelSettings(
  services: IModelServices
): Promise<void> {
  const { trans } = services;
  const body = ReactWidget.create(<ModelSettings services={services} />);
  body.addClass('jp-AIServer-Models-dialog');
  const dialog = new FormDialog({
    title: trans.__('Models'),
    body,
    buttons: [Dialog.okButton({ label: trans.__('Done') })],
    hasClose: true
  });
  await dialog.launch();
}

/**
 * A dialog in which our own fields and buttons handle Enter. In JupyterLab's `Dialog`, Enter
 * presses the default button even if a field has the focus, and in some versions even if another
 * button has the focus. The default button of a `FormDialog` closes the dialog, so the text that a
 * person has entered would be lost.
 */
class FormDialog extends Dialog<unknown> {
  override handleEvent(event: Event): void {
    const { key = '' } = event as Partial<KeyboardEvent>;
    const { target } = event;
    // JupyterLab handles the keys if the dialog itself or one of its own buttons has the focus.
    const element =
      target instanceof HTMLElement &&
      target.closest('.jp-Dialog-content') &&
      !target.closest('.jp-Dialog-button') &&
      target;
    if (event.type === 'keydown' && element) {
      // Let the element handle these keys: Enter submits the form or presses the button, and Escape
      // closes an open list.
      const isListOpen =
        element instanceof HTMLInputElement &&
        element.getAttribute('aria-expanded') === 'true';
      if (key === 'Enter' || (key === 'Escape' && isListOpen)) {
        return;
      }
    }
    super.handleEvent(event);
  }
}
