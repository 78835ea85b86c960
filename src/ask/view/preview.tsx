/**
 * The dialog “What will be sent”, which shows the messages that a model would get.
 *
 * Invariant: the messages are rendered exactly as the server returns them, and never as HTML.
 */
import {
  Dialog,
  Notification,
  ReactWidget,
  showDialog
} from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { CommandRegistry } from '@lumino/commands';
import * as React from 'react';

import type { Preview } from '../../api/types';
import { Messages, redactedText } from '../../prompt/messages';
import { IReceiptProps, Receipt } from '../../prompt/receipt';
import { failureText } from '../../labels/failureText';
import { toFailure } from '../../state/failure';
import { CommandIDs } from '../../tokens';
import type { GenerationModel } from '../model/generation';
import { type PreviewApi, requestBody } from '../model/request';
import { requestNumber } from '../model/state';
import { completedRequest } from './input/slashWords';

/** Fetch and show what the next request of a cell would send. Show a failure as a notification. */
export async function previewRequest(
  model: GenerationModel,
  api: PreviewApi,
  commands: CommandRegistry,
  trans: TranslationBundle
): Promise<void> {
  const { target, state, inputText } = model;
  const showNote = () =>
    void commands.execute(CommandIDs.showReplay, { tab: 'notebook' });
  try {
    const request = model.buildRequest(
      await completedRequest(model, inputText),
      inputText
    );
    await showPreview(
      await api.preview(
        await requestBody(request, {
          target,
          model: state.cellModel,
          levels: state.levels
        })
      ),
      cellId => target.cellNumber(cellId),
      turnId => requestNumber({ ...model.state, turnId }),
      trans,
      model.memory?.memory,
      commands.hasCommand(CommandIDs.showReplay) ? showNote : undefined
    );
  } catch (reason) {
    const text = failureText(toFailure(reason), trans);
    Notification.error(text, { autoClose: 5000 });
  }
}

export async function showPreview(
  preview: Preview,
  cellNumber: IReceiptProps['cellNumber'],
  requestNumber: IReceiptProps['requestNumber'],
  trans: TranslationBundle,
  memory: IReceiptProps['memory'] = null,
  showNote?: () => void
): Promise<void> {
  const body = ReactWidget.create(
    <PreviewView
      preview={preview}
      cellNumber={cellNumber}
      requestNumber={requestNumber}
      memory={memory}
      showNote={
        showNote &&
        (() => {
          Dialog.flush();
          showNote();
        })
      }
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
  memory?: IReceiptProps['memory'];
  showNote?: () => void;
  trans: TranslationBundle;
}): React.JSX.Element {
  const { preview, cellNumber, requestNumber, memory, showNote, trans } = props;
  const { model, messages, hidden: redactedCount } = preview;
  const redacted = redactedText(redactedCount, trans);
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
      {redacted && <p>{redacted}</p>}
      <Receipt
        items={preview.items ?? []}
        cellNumber={cellNumber}
        requestNumber={requestNumber}
        memory={memory}
        showNote={showNote}
        trans={trans}
      />
      <Messages messages={messages} trans={trans} />
    </>
  );
}
