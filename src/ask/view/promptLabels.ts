/** Texts of the prompt row: of the input field, “Fix it”, notices, announcements. */
import type { TranslationBundle } from '@jupyterlab/translation';

import type { IProblem } from '../../kernel/check';
import type { GenerationModel } from '../model/generation';
import { problemLine } from '../model/problems';
import type { IGenerationState, Notice, Phase } from '../model/state';
import { saveErrorText } from '../../labels/failureText';
import { explainRequest } from '../../labels/requestTitle';
import { joinSentences } from '../../labels/serverText';

export function inputLabels(
  model: GenerationModel,
  trans: TranslationBundle
): { label: string; placeholder: string } {
  const labels = (label: string, placeholder = label) => ({
    label,
    placeholder
  });
  const { phase } = model.state;
  if (model.isBusy) {
    const text = trans.__('Write your next request, to send it afterwards…');
    return labels(trans.__('Next request'), text);
  }
  if (phase === 'suggested') {
    const text = trans.__('Describe another change…');
    return labels(trans.__('Describe a change'), text);
  }
  if (phase === 'answered') {
    const text = trans.__('Ask a follow-up question, or for code…');
    return labels(trans.__('Next request'), text);
  }
  if (model.selectedLines) {
    return labels(trans.__('What should change in the selected lines?'));
  }
  if (model.target.source()?.trim()) {
    return labels(trans.__('What should change in this cell?'));
  }
  return model.target.cellType === 'code'
    ? labels(trans.__('What should this cell do?'))
    : labels(trans.__('What should this text say?'));
}

export function explainErrorRequest(
  error: string,
  trans: TranslationBundle
): string {
  return [explainRequest(trans), error].join('\n');
}

const MAX_PROBLEMS = 5;

export function fixRequest(
  error: string,
  problems: readonly IProblem[],
  trans: TranslationBundle
): string {
  // `requestTitle` takes the title from the last line, the error's.
  return [trans.__('Fix this error:'), ...problemLines(problems), error].join(
    '\n'
  );
}

export function problemLines(problems: readonly IProblem[]): string[] {
  return problems.slice(0, MAX_PROBLEMS).map(problemLine);
}

type IShown = Pick<
  GenerationModel,
  'state' | 'changesNothing' | 'isAnotherAttempt' | 'isOffered' | 'isUnrelated'
>;

export function noticeText(
  { state, changesNothing, isAnotherAttempt, isUnrelated }: IShown,
  trans: TranslationBundle
): string {
  const { isCellEdited, overwrittenCount, saveError } = state;
  const corrections = [...replacedTexts(state, trans), ...state.corrections];
  const names = corrections.join(trans._p('between names', ', '));
  return joinSentences(
    saveError ? saveErrorText(saveError, trans) : '',
    stateNoticeText(state, trans),
    changesNothing ? changesNothingText(state, trans) : '',
    missingFramesText(state, trans),
    isUnrelated
      ? trans.__(
          'This attempt uses nothing of the data of the code before, so it isn’t offered. Say what should be different, or choose another model.'
        )
      : '',
    isAnotherAttempt && !isUnrelated && !changesNothing
      ? trans.__(
          'This is another attempt. It may run and still be wrong, so look at its result.'
        )
      : '',
    names ? trans.__('Corrected automatically: %1.', names) : '',
    overwrittenCount
      ? trans._n(
          'The suggestion changes or removes %1 line that was written by hand.',
          'The suggestion changes or removes %1 lines that were written by hand.',
          overwrittenCount
        )
      : '',
    isCellEdited
      ? trans.__(
          'The cell has changed since you asked. The diff is against its current content.'
        )
      : ''
  );
}

function replacedTexts(
  { phase, replacedCharacters }: IGenerationState,
  trans: TranslationBundle
): string[] {
  const texts: Record<string, string> = {
    spaces: trans.__('special spaces'),
    invisible: trans.__('invisible characters'),
    entities: trans.__('HTML entities'),
    quotes: trans.__('typographic quotes'),
    prompts: trans.__('prompts such as >>>'),
    stop_tokens: trans.__('end marks of the model')
  };
  const kinds = phase === 'suggested' ? replacedCharacters : [];
  return kinds.flatMap(kind => texts[kind] ?? []);
}

function missingFramesText(
  { missingFrames }: IGenerationState,
  trans: TranslationBundle
): string {
  if (!missingFrames) {
    return '';
  }
  const { names, reason } = missingFrames;
  return joinSentences(
    trans.__('Not attached: %1.', names.join(trans._p('between names', ', '))),
    reason ||
      trans._n(
        'The kernel doesn’t have it now. Run the cell that creates it.',
        'The kernel doesn’t have them now. Run the cells that create them.',
        names.length
      )
  );
}

function changesNothingText(
  { explanation, notice }: IGenerationState,
  trans: TranslationBundle
): string {
  return explanation || notice === 'same_again'
    ? trans.__('The suggestion would not change the cell.')
    : trans.__(
        'The answer is the same as the current code. Say what should be different, or choose another model.'
      );
}

function stateNoticeText(
  state: IGenerationState,
  trans: TranslationBundle
): string {
  const { model, notice, phase } = state;
  const texts: Record<Notice, string> = {
    busy: trans.__('A request is still running in this cell. Stop it first.'),
    stopped:
      phase === 'suggested'
        ? trans.__('Stopped. The previous suggestion is shown.')
        : trans.__('Stopped. Your code is unchanged.'),
    reset: trans.__(
      'New conversation: earlier requests stay in the history but are no longer sent to the model.'
    ),
    not_written: trans.__(
      'The cell was deleted or is read-only, so nothing was written.'
    ),
    unsaved: trans.__(
      'Done. The history can’t be saved right now; this step will be saved as soon as possible.'
    ),
    not_recorded: trans.__(
      'This step could not be saved to the cell’s history.'
    ),
    same_again: trans.__(
      'The model gave the same answer again. Say what should be different, or choose another model.'
    ),
    words: trans.__(
      'A small model answered in words, and it can be wrong. If you wanted code, rephrase the request or choose another model.'
    ),
    run_failed: trans.__(
      'The accepted code failed. Ask for a fix, or say what should be different.'
    ),
    run_stopped: trans.__('Stopped. The accepted code stays in the cell.'),
    not_run: trans.__('The code was accepted, but the cell could not be run.'),
    text_replaced: trans.__('Your text was replaced. Press ↑ to get it back.'),
    changes_suggestion: trans.__(
      'A suggestion is open, so this request would change it. To ask about the cell instead, accept or reject it first.'
    ),
    ready: model ? trans.__('%1 is ready. You can ask now.', model.label) : ''
  };
  return notice ? texts[notice] : '';
}

export function readOnlyText(trans: TranslationBundle): string {
  return trans.__(
    'This notebook is read-only: you can ask and copy answers, but not save accepted code. To keep it, save a copy of the notebook.'
  );
}

/** Return the text for screen readers, without failures, which are alerts. */
export function announcement(shown: IShown, trans: TranslationBundle): string {
  const { change, failure, isChecking, phase } = shown.state;
  const notice = noticeText(shown, trans);
  if (phase === 'suggested' && change !== null) {
    return trans.__('Change %1 is selected.', change + 1);
  }
  if (phase === 'suggested' && isChecking) {
    return ''; // Only the start and the end are announced.
  }
  if (phase === 'suggested' && !failure) {
    // If nothing would change, there is nothing to accept: the notice says so.
    const ready = trans.__(
      'The suggestion is ready. Shift+Enter accepts it, Escape rejects it.'
    );
    return shown.isOffered ? joinSentences(ready, notice) : notice;
  }
  if (phase === 'answered') {
    return joinSentences(trans.__('The answer is ready.'), notice);
  }
  const generating = trans.__('Generating code. Press Escape to stop.');
  const progress: Partial<Record<Phase, string>> = {
    running: trans.__('Running the cell. Press Escape to stop.'),
    waiting: generating,
    streaming: generating
  };
  return notice || failure ? notice : (progress[phase] ?? '');
}
