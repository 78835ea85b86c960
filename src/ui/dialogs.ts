import { Dialog, ReactWidget, showDialog } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import type * as React from 'react';

/** Return whether the person agrees. `warns` marks what can't be undone. */
export async function confirm(
  question: { title: string; body: string; accept: string; warns?: boolean },
  trans: TranslationBundle
): Promise<boolean> {
  const { title, body, accept: label, warns = false } = question;
  const { button } = await showDialog({
    title,
    body,
    buttons: [
      Dialog.cancelButton({ label: trans.__('Cancel') }),
      warns ? Dialog.warnButton({ label }) : Dialog.okButton({ label })
    ],
    defaultButton: warns ? 0 : 1
  });
  return button.accept;
}

/** Show what a model gets, until the person closes the dialog. */
export async function showView(
  title: string,
  view: React.JSX.Element,
  trans: TranslationBundle
): Promise<void> {
  const body = ReactWidget.create(view);
  body.addClass('jp-AIServer-Preview');
  await showDialog({
    title,
    body,
    buttons: [Dialog.okButton({ label: trans.__('Close') })],
    hasClose: true
  });
}
