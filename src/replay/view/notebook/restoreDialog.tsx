/** The button that restores the whole notebook, and the dialog that asks how. */
import { Dialog, Notification, showDialog } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import { undoIcon } from '@jupyterlab/ui-components';
import React from 'react';

import { failureText } from '../../../labels/failureText';
import { joinSentences } from '../../../labels/serverText';
import { showDayAndClock } from '../../../labels/time';
import { toFailure } from '../../../state/failure';
import type {
  INotebookPlan,
  RestoreRefusal
} from '../../model/notebook/notebookRestore';
import { IconButton } from '../../../ui/iconButton';
import { type IReplayContext, useReplay } from '../context';

const UNDO_COMMAND = 'notebook:undo-cell-action';

/** The button, at a past moment; it is disabled while the notebook at this moment is loading. */
export function RestoreButton(): React.JSX.Element | null {
  const context = useReplay();
  const { model, restore, trans } = context;
  const { moment, snapshot } = model.timeline;
  if (!restore || !moment) {
    return null;
  }
  const label = trans.__('Restore notebook…');
  return (
    <IconButton
      icon={undoIcon}
      label={label}
      text={label}
      aria-haspopup="dialog"
      disabled={snapshot?.index !== moment.index}
      onClick={() =>
        restoreNotebook(context).catch(reason => {
          Notification.error(failureText(toFailure(reason), trans));
        })
      }
    />
  );
}

/** Ask how to restore the notebook after the current moment, and do it. */
async function restoreNotebook(context: IReplayContext): Promise<void> {
  const { model, restore, trans, now, locale } = context;
  const { notebookId } = model.subject;
  const { timeline } = model;
  const plan =
    notebookId &&
    timeline.snapshot &&
    (await restore?.plan(
      notebookId,
      timeline.snapshot,
      cellId => !!timeline.cell(cellId)?.steps
    ));
  if (!restore || !plan) {
    return;
  }
  const time = showDayAndClock(plan.time, now, locale);
  const refusal = restore.refusal(plan);
  const isRestorable = !refusal && plan.operations.length > 0;
  const texts = planTexts(plan, refusal, context);
  const result = await showDialog({
    title: trans.__('Restore the notebook as of %1', time),
    body: (
      <>
        {texts.map((text, index) => (
          <p key={index}>{text}</p>
        ))}
      </>
    ),
    buttons: [
      Dialog.cancelButton({ label: trans.__('Cancel') }),
      Dialog.okButton({ label: trans.__('As a copy'), actions: ['copy'] }),
      ...(isRestorable ? [Dialog.okButton({ label: trans.__('Here') })] : [])
    ],
    defaultButton: 1
  });
  if (!result.button.accept) {
    return;
  }
  if (result.button.actions.includes('copy')) {
    await restore.restoreCopy(plan);
    return;
  }
  const newRefusal = await restore.restoreHere(plan);
  if (newRefusal) {
    Notification.warning(refusalText(newRefusal, trans));
  } else {
    Notification.success(
      trans.__('Restored the notebook as of %1', time),
      { autoClose: 5000 } // in milliseconds
    );
  }
}

function planTexts(
  plan: INotebookPlan,
  refusal: RestoreRefusal | null,
  context: IReplayContext
): string[] {
  const { missing, redacted, operations } = plan;
  const { trans } = context;
  const missingText = trans._n(
    '%1 cell can’t be restored, because the history doesn’t have its content.',
    '%1 cells can’t be restored, because the history doesn’t have their content.',
    missing
  );
  const redactedText = trans._n(
    '%1 cell gets marks in place of keys or passwords, which the history doesn’t have.',
    '%1 cells get marks in place of keys or passwords, which the history doesn’t have.',
    redacted
  );
  const text = operations.length ? historyText(context) : '';
  return [
    countsText(plan, trans),
    missing ? missingText : '',
    redacted ? redactedText : '',
    refusal ? refusalText(refusal, trans) : text
  ].filter(Boolean);
}

function historyText({ trans, commands }: IReplayContext): string {
  const text = trans.__('What is replaced stays in the history.');
  const undo = commands.hasCommand(UNDO_COMMAND)
    ? trans.__('“%1” brings it back.', commands.label(UNDO_COMMAND))
    : '';
  return joinSentences(text, undo);
}

/** Return what changes: "3 cells change, 1 cell comes back, 2 cells go". */
function countsText(
  { counts: { changed, returned, removed, moved } }: INotebookPlan,
  trans: TranslationBundle
): string {
  const texts = [
    changed && trans._n('%1 cell changes', '%1 cells change', changed),
    returned && trans._n('%1 cell comes back', '%1 cells come back', returned),
    removed && trans._n('%1 cell is removed', '%1 cells are removed', removed),
    moved && trans._n('%1 cell moves', '%1 cells move', moved)
  ].filter(Boolean);
  return texts.length
    ? texts.join(trans._p('between names', ', '))
    : trans.__('The notebook is as it was then.');
}

function refusalText(
  refusal: RestoreRefusal,
  trans: TranslationBundle
): string {
  switch (refusal) {
    case 'running':
      return trans.__(
        'A cell is running. Restore the notebook here when it has ended.'
      );
    case 'readOnly':
      return trans.__('The notebook or a cell that changes is read-only.');
    case 'changed':
      return trans.__('The notebook has just changed. Try again.');
    case 'unrecorded':
      return trans.__(
        'The history can’t be read now, so nothing was changed. Try again.'
      );
  }
}
