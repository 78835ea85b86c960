/**
 * What the prompt row says in each state.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import type { GenerationModel } from '../models/generation';
import type { IGenerationState } from '../models/generationstate';
import { unkeptText } from './failures';

/** What the text field is called, and what it says while it is empty. */
export function wording(
  model: GenerationModel,
  trans: TranslationBundle
): { label: string; placeholder: string } {
  if (model.isBusy) {
    const text = trans.__('You can write the next change meanwhile …');
    return { label: trans.__('What to change next'), placeholder: text };
  }
  if (model.state.phase === 'suggested') {
    const text = trans.__('or say what to change …');
    return { label: trans.__('What to change'), placeholder: text };
  }
  const empty =
    model.target.cellType === 'code'
      ? trans.__('What should this cell do?')
      : trans.__('What should this text say?');
  const text = model.target.source()?.trim()
    ? trans.__('What should change in this cell?')
    : empty;
  return { label: text, placeholder: text };
}

/** The request to mend the error that a cell ended with. */
export function fixRequest(error: string, trans: TranslationBundle): string {
  return `${trans.__('Fix this error:')}\n${error}`;
}

export function noticeText(
  state: IGenerationState,
  trans: TranslationBundle
): string {
  const said = state.unkept ? unkeptText(state.unkept, trans) : '';
  const notice = noticeOf(state, trans);
  const edited = state.edited
    ? trans.__(
        'The cell was changed after you asked. The diff is against what it holds now.'
      )
    : '';
  return [said, notice, edited].filter(Boolean).join(' ');
}

function noticeOf(state: IGenerationState, trans: TranslationBundle): string {
  switch (state.notice) {
    case 'busy':
      return trans.__('This cell is still being written. Stop it first.');
    case 'stopped':
      return state.phase === 'suggested'
        ? trans.__('Stopped. This is the suggestion of before.')
        : trans.__('Stopped. Your code is as it was.');
    case 'reset':
      return trans.__(
        'Started afresh: the turns before are kept, but no longer told to the model.'
      );
    case 'gone':
      return trans.__('The cell is gone or locked, so nothing was written.');
    case 'unsaved':
      return trans.__(
        'Done. The history can’t be written right now; it will be noted as soon as that works.'
      );
    case 'unnoted':
      return trans.__(
        'The history of this cell can’t be written, so this is not noted in it.'
      );
    case 'same':
      return state.explanation
        ? trans.__('Nothing would change in the cell.')
        : trans.__(
            'Nothing would change: the answer is what the cell holds already. Say more exactly what to change.'
          );
    case 'ready':
      return state.model
        ? trans.__('%1 is ready. You can ask now.', state.model.label)
        : '';
    default:
      return '';
  }
}

/** Said as long as it is so, where nothing else is to be said. */
export function readOnlyText(trans: TranslationBundle): string {
  return trans.__(
    'This notebook is read-only. You can ask and copy, but what is accepted can’t be saved here: save a copy to keep it.'
  );
}

/** What a screen reader says when something begins or ends. A failure is an alert of its own. */
export function announcement(
  state: IGenerationState,
  trans: TranslationBundle
): string {
  const notice = noticeText(state, trans);
  if (state.phase === 'suggested' && !state.failure) {
    const ready = trans.__(
      'The suggestion is ready. Shift+Enter accepts it, Escape rejects it.'
    );
    return [ready, notice].filter(Boolean).join(' ');
  }
  if (notice || state.failure) {
    return notice;
  }
  switch (state.phase) {
    case 'waiting':
    case 'streaming':
      return trans.__('Writing this cell. Press Escape to stop.');
    default:
      return '';
  }
}
