/**
 * The dialog “What will be sent”, which shows the messages that a model would get.
 *
 * Invariant: the messages are rendered exactly as the server returns them, and never as HTML.
 */
import { Dialog, ReactWidget, showDialog } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import type { Preview } from '../../api/types';
import { IReceiptProps, Receipt } from './receipt';

export async function showPreview(
  preview: Preview,
  cellNumber: IReceiptProps['cellNumber'],
  requestNumber: IReceiptProps['requestNumber'],
  trans: TranslationBundle
): Promise<void> {
  const body = ReactWidget.create(
    <PreviewView
      preview={preview}
      cellNumber={cellNumber}
      requestNumber={requestNumber}
      trans={trans}
    />
  );
  body.addClass('jp-AIServer-Preview');
  await showDialog({
    title: trans.__('What will be sent'),
    body,
    buttons: [Dialog.okButton({ label: trans.__('Close') })],
    hasClose: true
  });
}

export function PreviewView(props: {
  preview: Preview;
  cellNumber: IReceiptProps['cellNumber'];
  requestNumber: IReceiptProps['requestNumber'];
  trans: TranslationBundle;
}): React.JSX.Element {
  const { preview, cellNumber, requestNumber, trans } = props;
  const { model, messages, hidden: redactedCount } = preview;
  const roles = {
    system: trans.__('Instructions'),
    user: trans.__('From you and your notebook'),
    assistant: trans.__('Earlier answers and code from the notebook')
  };
  const title = ({ role, example }: Preview['messages'][number]) =>
    example ? trans.__('Example included with AI Server') : roles[role];
  return (
    <>
      <p>
        {model.onThisMachine
          ? trans.__(
              'This is sent to %1, which runs on the Jupyter server’s machine. Nothing leaves that machine.',
              model.label
            )
          : trans.__(
              'Only this is sent to %1, and only when you ask.',
              model.label
            )}
      </p>
      {redactedCount > 0 && (
        <p>
          {trans._n(
            '%1 key or password was masked.',
            '%1 keys or passwords were masked.',
            redactedCount
          )}
        </p>
      )}
      <Receipt
        items={preview.items ?? []}
        cellNumber={cellNumber}
        requestNumber={requestNumber}
        trans={trans}
      />
      {messages.map((message, index) => (
        <section key={index}>
          <h3>{title(message)}</h3>
          {/* A long text can be scrolled with the keyboard only if it is focusable. */}
          <pre tabIndex={0} aria-label={title(message)}>
            {message.text}
          </pre>
        </section>
      ))}
    </>
  );
}
