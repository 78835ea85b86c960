/** Asks the person before an agent deletes a cell or runs something. */
import { Dialog, Notification, ReactWidget } from '@jupyterlab/apputils';
import { PathExt } from '@jupyterlab/coreutils';
import type { NotebookPanel } from '@jupyterlab/notebook';
import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';

import { removeChineseSpaces } from '../../../labels/serverText';
import type { PermitQuestion } from '../model/messages';

/**
 * Ask until the person decides. Resolves to null if they haven't in time, or have closed the notebook.
 * `showCell` goes to a cell of the notebook.
 */
export function askPerson(
  question: PermitQuestion,
  panel: NotebookPanel,
  showCell: (cellId: string) => void,
  trans: TranslationBundle
): Promise<boolean | null> {
  const { cells, code, seconds } = question;
  const text = permitText(question, trans);
  return new Promise(resolve => {
    let dialog: Dialog<unknown> | null = null;
    const finish = (allowed: boolean | null) => {
      clearTimeout(timer);
      panel.disposed.disconnect(close);
      Notification.dismiss(id);
      dialog?.dispose();
      resolve(allowed);
    };
    const close = () => finish(null);
    const showCode = async () => {
      dialog = codeDialog(text, code, trans);
      const result = await dialog.launch().catch(() => null);
      finish(result && result.button.accept);
    };
    const timer = window.setTimeout(close, 1000 * seconds);
    panel.disposed.connect(close);
    const id = Notification.warning(text, {
      autoClose: false,
      actions: [
        {
          label: trans.__('Allow once'),
          displayType: 'accent',
          callback: () => finish(true)
        },
        { label: trans.__('Don’t allow'), callback: () => finish(false) },
        {
          label: trans.__('Show'),
          callback: event => {
            event.preventDefault(); // so that the notification stays
            void (cells.length ? showCell(cells[0]) : showCode());
          }
        }
      ]
    });
  });
}

/** Return the sentence: “Codex asks to run 3 cells of a.ipynb.” */
function permitText(
  question: PermitQuestion,
  trans: TranslationBundle
): string {
  const { act, agent, cells, code, path } = question;
  const file = PathExt.basename(path);
  const text =
    act === 'delete'
      ? trans.__('%1 asks to delete a cell of %2.', agent, file)
      : cells.length
        ? trans._n(
            '%2 asks to run %1 cell of %3.',
            '%2 asks to run %1 cells of %3.',
            ...([cells.length, agent, file] as const)
          )
        : trans.__(
            '%1 asks to run code in %2: %3',
            ...[agent, file, code.trim().split('\n', 1)[0]]
          );
  return removeChineseSpaces(text);
}

function codeDialog(
  title: string,
  code: string,
  trans: TranslationBundle
): Dialog<unknown> {
  const body = ReactWidget.create(<pre>{code}</pre>);
  body.addClass('jp-AIServer-Agents-undo');
  return new Dialog({
    title,
    body,
    defaultButton: 0,
    buttons: [
      Dialog.cancelButton({ label: trans.__('Don’t allow') }),
      Dialog.okButton({ label: trans.__('Allow once') })
    ]
  });
}
