/** The dialog that states which data is sent to whom. */
import { Dialog, showDialog } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import { createElement } from 'react';

import type { ModelInfo } from '../../api/types';
import { labelText } from '../../labels/serverText';
import type { ModelChoice } from '../model/modelChoice';
import { destinationOf } from './labels';
import { SentData } from './sentData';

/**
 * Ask the person to confirm a remote model, unless the default model's requests go to the same
 * destination. Resolves to true if it may be used.
 */
export async function confirmModel(
  model: ModelInfo,
  choice: ModelChoice,
  trans: TranslationBundle
): Promise<boolean> {
  if (model.onThisMachine) {
    return true;
  }
  const { defaultModel } = choice;
  const provider = choice.findProvider(model.provider);
  const destination = destinationOf(provider, model, trans);
  if (
    defaultModel?.provider === model.provider &&
    !defaultModel.onThisMachine &&
    destinationOf(provider, defaultModel, trans) === destination
  ) {
    return true;
  }
  const { button } = await showDialog({
    title: trans.__('Use %1?', labelText(model.label, trans)),
    body: createElement(SentData, { destination, trans }),
    buttons: [
      Dialog.cancelButton({ label: trans.__('Not now') }),
      Dialog.okButton({ label: trans.__('Use it') })
    ]
  });
  return button.accept;
}
