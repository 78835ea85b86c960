/**
 * The dialogs about models: connecting a provider, the one sentence before a remote model is
 * chosen, and the settings where there is no settings editor.
 */
import { Dialog, ReactWidget, showDialog } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import type { ModelInfo } from '../../api/types';
import type { ModelChoice } from '../model/modelChoice';
import { serverText } from '../../labels/serverMessages';
import type { IModelServices } from './parts';
import { Providers } from './providers';
import { ModelSettings } from './settings';
import { placeOf, sentText } from './labels';

/** Connect a provider, the given one if any; true when a model of one was chosen. */
export async function connectProvider(
  services: IModelServices,
  provider?: string
): Promise<boolean> {
  const { trans } = services;
  let chosen = false;
  const footer = document.createElement('div');
  const body = ReactWidget.create(
    <Providers
      services={services}
      open={provider}
      footer={footer}
      onChosen={() => (chosen = true)}
      onWorks={() => dialog.resolve(0)}
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
  // The form's buttons are always in view there, however long the form is. JupyterLab keeps the
  // Tab key inside a dialog by its own last button, so that stays the last one.
  dialog.node.querySelector('.jp-Dialog-footerButtons')?.prepend(footer);
  dialog.addClass('jp-AIServer-Models-connect');
  await dialog.launch();
  return chosen;
}

/** The settings, in a dialog. */
export async function showModelSettings(
  services: IModelServices
): Promise<void> {
  const { choice, trans } = services;
  const body = ReactWidget.create(
    <ModelSettings
      services={services}
      agree={model => agreeTo(model, choice, trans)}
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
 * A dialog with forms in its body. JupyterLab's own takes Enter in a field for its default
 * button, which here would close it and drop the key that was just pasted.
 */
class FormDialog extends Dialog<unknown> {
  override handleEvent(event: Event): void {
    const { key = '' } = event as Partial<KeyboardEvent>;
    const field = event.target instanceof HTMLInputElement && event.target;
    if (event.type === 'keydown' && field) {
      // Enter sends the form, and Escape closes an open list before it closes the dialog.
      const isList = field.getAttribute('aria-expanded') === 'true';
      if (key === 'Enter' || (key === 'Escape' && isList)) {
        return;
      }
    }
    super.handleEvent(event);
  }
}

/**
 * Whether a model may be chosen. For one that is not on this machine a person is told what
 * goes where, unless what is asked goes to that very place already (P4).
 */
export async function agreeTo(
  model: ModelInfo,
  choice: ModelChoice,
  trans: TranslationBundle
): Promise<boolean> {
  if (model.onThisMachine) {
    return true;
  }
  const { current } = choice;
  const place = placeOf(choice.provider(model.provider), model, trans);
  if (
    current?.provider === model.provider &&
    !current.onThisMachine &&
    placeOf(choice.provider(current.provider), current, trans) === place
  ) {
    return true;
  }
  const { button } = await showDialog({
    title: trans.__('Use %1?', serverText(model.label, trans)),
    body: sentText(place, trans),
    buttons: [
      Dialog.cancelButton({ label: trans.__('Not now') }),
      Dialog.okButton({ label: trans.__('Use it') })
    ]
  });
  return button.accept;
}
