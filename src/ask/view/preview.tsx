/** The dialog “What will be sent”. The server's messages are never rendered as HTML. */
import { Dialog, Notification } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { CommandRegistry } from '@lumino/commands';
import * as React from 'react';

import type { Preview } from '../../api/types';
import { Messages, redactedText } from '../../prompt/messages';
import { IReceiptProps, Receipt } from '../../prompt/receipt';
import { failureText } from '../../labels/failureText';
import { toFailure } from '../../state/failure';
import { CommandIDs } from '../../tokens';
import { showView } from '../../ui/dialogs';
import type { GenerationModel } from '../model/generation';
import { type PreviewApi, requestBody } from '../model/request';
import { requestNumber } from '../model/state';
import { completedRequest } from './input/completions';

export async function previewRequest(
  model: GenerationModel,
  api: PreviewApi,
  commands: CommandRegistry,
  trans: TranslationBundle
): Promise<void> {
  const { target, state, inputText } = model;
  const showNote = () => {
    Dialog.flush();
    void commands.execute(CommandIDs.showReplay, { tab: 'notebook' });
  };
  try {
    const intent = await completedRequest(model, inputText);
    const request = model.buildRequest(intent, inputText);
    const levels = () => model.state.levels;
    const options = { target, model: state.cellModel, levels };
    const preview = await api.preview(await requestBody(request, options));
    const hasReplay = commands.hasCommand(CommandIDs.showReplay);
    const view = (
      <PreviewView
        preview={preview}
        cellNumber={cellId => target.cellNumber(cellId)}
        requestNumber={turnId => requestNumber({ ...model.state, turnId })}
        memory={model.memory?.memory}
        showNote={hasReplay ? showNote : undefined}
        trans={trans}
      />
    );
    await showView(trans.__('What will be sent'), view, trans);
  } catch (reason) {
    const text = failureText(toFailure(reason), trans);
    Notification.error(text, { autoClose: 5000 });
  }
}

export function PreviewView(
  props: Omit<IReceiptProps, 'items'> & { preview: Preview }
): React.JSX.Element {
  const { preview, trans, ...receipt } = props;
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
      <Receipt {...receipt} items={preview.items ?? []} trans={trans} />
      <Messages messages={messages} trans={trans} />
    </>
  );
}
