/**
 * What went wrong, as one sentence, by the code of the error. The server words it in English
 * alone; what is worded here, or listed in serverwords.ts, is translated.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import type { IFailure } from '../models/failure';
import { serverText } from './serverwords';

export function failureText(
  failure: IFailure,
  trans: TranslationBundle
): string {
  return (
    knownText(failure, trans) ||
    modelText(failure, trans) ||
    serverText(failure.message, trans) ||
    trans.__('That did not work. Try again.')
  );
}

/** What happened here, at the server or on its disk; empty for other codes. */
function knownText(failure: IFailure, trans: TranslationBundle): string {
  switch (failure.code) {
    case 'interrupted':
      return trans.__(
        'The answer broke off before it was whole, so nothing of it is shown. Try again.'
      );
    case 'stopped_elsewhere':
      return trans.__(
        'The answer was stopped: the server was shut down, or another tab asked in this cell.'
      );
    case 'unreachable':
      return trans.__(
        'The Jupyter server does not answer. Check that it is running, then try again.'
      );
    case 'unauthenticated':
      return trans.__(
        'Your session has ended. Sign in again, then come back here: nothing is lost.'
      );
    case 'proxy_error':
      return trans.__(
        'Something between this page and the Jupyter server answered in its place. Try again in a moment.'
      );
    case 'generation_running':
      return trans.__(
        'This cell is already being written, perhaps in another tab.'
      );
    case 'stale_revision':
      return trans.__(
        'This cell’s history was changed elsewhere meanwhile. Try again.'
      );
    case 'storage_full':
      return trans.__(
        'The disk is full, so the history can’t be written. Free some space, then try again.'
      );
    case 'bad_setting':
      return trans.__(
        'AI Server can’t start, for one of its settings is wrong. %1',
        failure.message
      );
    case 'storage_unreachable':
      return trans.__(
        'The database of the histories can’t be reached. Try again in a moment; nothing saved before is lost.'
      );
    case 'storage_busy':
      return trans.__(
        'Another Jupyter server is writing this history. Try again in a moment.'
      );
    case 'storage_read_only':
      return trans.__(
        'The folder of the histories can’t be written to, so nothing was saved.'
      );
    case 'session_corrupt':
      return trans.__(
        'This cell’s history file is damaged. Its content was set aside and kept.'
      );
    case 'session_too_new':
      return trans.__(
        'A newer AI Server wrote this history. Update to add to it.'
      );
    case 'storage_error':
      return trans.__(
        'The history could not be saved or read. Nothing saved before is lost.'
      );
    case 'search_failed':
      return trans.__(
        'The search did not work this time. Try again in a moment.'
      );
    case 'not_yours':
      return trans.__(
        'Somebody else asked for this answer, so only they can stop it.'
      );
    case 'not_owner':
      return trans.__(
        'This server belongs to somebody else, and answers would be at their cost. Ask in a notebook on your own server.'
      );
    case 'too_many_generations':
      return trans.__(
        'Too many answers are being written at once. Wait until one is done.'
      );
    case 'request_too_large':
      return trans.__('That is more text than can be sent at once.');
    case 'install_interrupted':
      return trans.__('The connection broke off. What has come is kept.');
    default:
      return '';
  }
}

/** What a model or its provider did, which is named where it is known; empty for other codes. */
function modelText(failure: IFailure, trans: TranslationBundle): string {
  const label = failure.provider && serverText(failure.provider.label, trans);
  const who = label ?? trans.__('The provider');
  const whom = label ?? trans.__('the provider');
  switch (failure.code) {
    case 'model_auth_failed':
      return trans.__(
        '%1 refused the key. Check the key, then try again.',
        who
      );
    case 'model_forbidden':
      return trans.__(
        '%1 does not let this key use that model. Choose another model, or another key.',
        who
      );
    case 'model_no_credit':
      return trans.__(
        'The account at %1 has no credit or quota left. Check its plan and billing there.',
        whom
      );
    case 'model_refused_text':
      return trans.__(
        'The filter of %1 refused this text. Say it in other words.',
        whom
      );
    case 'model_key_missing':
      return trans.__('There is no key for %1 at hand. Enter one first.', whom);
    case 'model_unknown':
      return trans.__(
        '%1 knows no model of that name. Choose another one.',
        who
      );
    case 'model_refused_request':
      return trans.__(
        '%1 refused the request. Check the name of the model.',
        who
      );
    case 'model_timeout':
      return trans.__(
        '%1 did not answer in time. Try again.',
        label ?? trans.__('The model')
      );
    case 'model_unavailable':
      return label
        ? trans.__(
            '%1 can’t be reached right now. Check its address and the connection, or try again in a moment.',
            label
          )
        : trans.__(
            'The model can’t be reached right now. Try again in a moment.'
          );
    case 'model_failed':
      return trans.__(
        '%1 reported an internal error. Try again in a moment.',
        who
      );
    case 'model_no_answer':
      return trans.__(
        'The response from %1 is not a model’s answer. Check the address, then try again.',
        whom
      );
    case 'model_rate_limited':
      return failure.retryAfter
        ? trans.__(
            '%1 asks to wait %2 seconds: too many requests.',
            who,
            Math.ceil(failure.retryAfter)
          )
        : trans.__(
            '%1 asks to wait: too many requests. Try again in a moment.',
            who
          );
    case 'model_package_missing':
      return label
        ? trans.__('Models of %1 need one more Python package.', label)
        : trans.__('This model needs one more Python package.');
    case 'model_not_allowed':
      return trans.__(
        'The administrator of this server does not allow that model.'
      );
    case 'prompt_too_long':
      return trans.__(
        'That is more text than this model can read. Shorten the cell or the request.'
      );
    case 'bad_answer':
      return trans.__(
        'The model’s answer held no usable code. Try to say it another way.'
      );
    case 'answer_cut':
      return trans.__(
        'The answer was cut off because it grew too long. Ask for less at once.'
      );
    case 'answer_broken_off':
      return trans.__(
        'The model stopped in the middle of its answer. Try again.'
      );
    case 'no_model':
      return (
        serverText(failure.message, trans) ||
        trans.__('No model is set up yet, so nothing can answer.')
      );
    default:
      return '';
  }
}

/** Why an answer is not in the history. It is there to be used all the same. */
export function unkeptText(code: string, trans: TranslationBundle): string {
  switch (code) {
    case 'storage_full':
      return trans.__(
        'The disk is full, so this answer is not in the history. You can still accept or copy it.'
      );
    case 'storage_unreachable':
      return trans.__(
        'The database of the histories can’t be reached, so this answer is not in it. You can still accept or copy it.'
      );
    case 'storage_busy':
      return trans.__(
        'Another Jupyter server is writing this history, so this answer is not in it. You can still accept or copy it.'
      );
    case 'storage_read_only':
      return trans.__(
        'The folder of the histories can’t be written to, so this answer is not in it. You can still accept or copy it.'
      );
    default:
      return trans.__(
        'This answer could not be kept in the history. You can still accept or copy it.'
      );
  }
}
