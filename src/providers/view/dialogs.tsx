/**
 * The dialogs for models: connecting a provider, confirming a remote model, and the settings if
 * there is no settings editor.
 */
import { Dialog, ReactWidget, showDialog } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import type { ModelInfo } from '../../api/types';
import type { ModelChoice } from '../model/modelChoice';
import { labelText } from '../../labels/serverText';
import type { IModelServices } from './parts';
import { Providers } from './providers';
import { ModelSettings } from './settings';
import { destinationOf, sentDataText } from './labels';

/** Show the form of a provider, or of all; resolves to whether a model was chosen. */
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
      open={provider}
      footer={footer}
      onChosen={() => (isChosen = true)}
      onVerified={() => dialog.resolve(0)}
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
  // In the footer the form's buttons are always in view. JupyterLab traps the focus with the
  // dialog's last button, which must stay the last one.
  dialog.node.querySelector('.jp-Dialog-footerButtons')?.prepend(footer);
  dialog.addClass('jp-AIServer-Models-connect');
  await dialog.launch();
  return isChosen;
}

/** Show the settings in a dialog. */
export async function showModelSettings(
  services: IModelServices
): Promise<void> {
  const { choice, trans } = services;
  const body = ReactWidget.create(
    <ModelSettings
      services={services}
      confirm={model => confirmModel(model, choice, trans)}
    />
  );
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
 * A dialog with a form in its body. JupyterLab's dialog handles Enter in a field as its default
 * button, which would close the dialog and discard a pasted key.
 */
class FormDialog extends Dialog<unknown> {
  override handleEvent(event: Event): void {
    const { key = '' } = event as Partial<KeyboardEvent>;
    const field = event.target instanceof HTMLInputElement && event.target;
    if (event.type === 'keydown' && field) {
      // Enter submits the form, and Escape first closes an open list.
      const isList = field.getAttribute('aria-expanded') === 'true';
      if (key === 'Enter' || (key === 'Escape' && isList)) {
        return;
      }
    }
    super.handleEvent(event);
  }
}

/**
 * Confirm the choice of a model. For a remote model, shows which data is sent where, unless the
 * current model has the same destination.
 */
export async function confirmModel(
  model: ModelInfo,
  choice: ModelChoice,
  trans: TranslationBundle
): Promise<boolean> {
  if (model.onThisMachine) {
    return true;
  }
  const { current } = choice;
  const destination = destinationOf(
    choice.provider(model.provider),
    model,
    trans
  );
  if (
    current?.provider === model.provider &&
    !current.onThisMachine &&
    destinationOf(choice.provider(current.provider), current, trans) ===
      destination
  ) {
    return true;
  }
  const { button } = await showDialog({
    title: trans.__('Use %1?', labelText(model.label, trans)),
    body: sentDataText(destination, trans),
    buttons: [
      Dialog.cancelButton({ label: trans.__('Not now') }),
      Dialog.okButton({ label: trans.__('Use it') })
    ]
  });
  return button.accept;
}
