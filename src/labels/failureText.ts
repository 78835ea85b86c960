/**
 * The sentence for a failure, chosen by its error code. The server's messages are English; the
 * texts here and those listed in serverMessages.ts are translated.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import type { IFailure } from '../state/failure';
import { durationText } from './durations';
import { serverText } from './serverMessages';
import { closeGaps } from './spacing';

export function failureText(
  failure: IFailure,
  trans: TranslationBundle
): string {
  return closeGaps(
    generalText(failure, trans) ||
      modelText(failure, trans) ||
      serverText(failure.message, trans) ||
      trans.__('Something went wrong. Try again.')
  );
}

/** The text for a failure of the page, the server or its disk; empty for other codes. */
function generalText(failure: IFailure, trans: TranslationBundle): string {
  switch (failure.code) {
    case 'interrupted':
      return trans.__(
        'The answer was interrupted before it was complete. Try again.'
      );
    case 'stopped_elsewhere':
      return trans.__(
        'The answer was stopped: the server shut down, or a new request was made in this cell from another tab.'
      );
    case 'unreachable':
      return trans.__(
        'The Jupyter server is not responding. Check that it is running, then try again.'
      );
    case 'unauthenticated':
      return trans.__(
        'Your session has expired. Sign in again and return to this page; nothing is lost.'
      );
    case 'proxy_error':
      return trans.__(
        'A proxy responded instead of the Jupyter server. Try again in a moment.'
      );
    case 'generation_running':
      return trans.__(
        'A request is already running in this cell, perhaps in another tab.'
      );
    case 'stale_revision':
      return trans.__(
        'This cell’s history was changed somewhere else. Try again.'
      );
    case 'storage_full':
      return trans.__(
        'The disk is full, or your quota is used up, so the history can’t be saved. Free up some space, then try again.'
      );
    case 'bad_setting':
      return trans.__(
        'AI Server can’t start because one of its settings is invalid. %1',
        failure.message
      );
    case 'storage_unreachable':
      return trans.__(
        'Can’t connect to the history database. Try again in a moment; everything saved so far is safe.'
      );
    case 'storage_busy':
      return trans.__(
        'Another Jupyter server is writing to this history. Try again in a moment.'
      );
    case 'storage_read_only':
      return trans.__(
        'AI Server can’t read or change the history folder: it is read-only, or its permissions don’t allow it. Nothing can be saved there until that is fixed.'
      );
    case 'session_corrupt':
      return trans.__(
        'This cell’s history file is damaged. A copy of its content was kept.'
      );
    case 'session_too_new':
      return trans.__(
        'This history was written by a newer version of AI Server. Update AI Server to add to it.'
      );
    case 'storage_error':
      return trans.__(
        'The history could not be saved or read. Everything saved so far is safe.'
      );
    case 'search_failed':
      return trans.__('The search failed. Try again in a moment.');
    case 'export_failed':
      return trans.__('The export failed. Try again in a moment.');
    case 'export_timeout':
      return trans.__(
        'The export took too long and was stopped. Run “jupyter aiserver replay export” in a terminal: it has no time limit.'
      );
    case 'not_yours':
      return trans.__(
        'Someone else made this request, so only they can stop it.'
      );
    case 'not_owner':
      return trans.__(
        'This server belongs to someone else, and your requests would be charged to them. Ask in a notebook on your own server.'
      );
    case 'too_many_generations':
      return trans.__(
        'Too many requests are running at once. Wait until one has finished.'
      );
    case 'request_too_large':
      return trans.__(
        'The request is too long to send. Shorten the cell or the request.'
      );
    case 'install_interrupted':
      return trans.__(
        'The connection was lost. Try again to resume the download.'
      );
    default:
      return '';
  }
}

/** The text for a failure of a model or its provider; empty for other codes. */
function modelText(failure: IFailure, trans: TranslationBundle): string {
  const label = failure.provider && serverText(failure.provider.label, trans);
  const providerAtStart = label ?? trans.__('The provider');
  const providerInSentence = label ?? trans.__('the provider');
  switch (failure.code) {
    case 'model_auth_failed':
      return trans.__(
        '%1 rejected the API key. Check the key, then try again.',
        providerAtStart
      );
    case 'model_forbidden':
      return trans.__(
        '%1 does not allow this model with your API key. Choose another model or key.',
        providerAtStart
      );
    case 'model_no_credit':
      return trans.__(
        'Your account with %1 has no credit or quota left. Check your plan and billing.',
        providerInSentence
      );
    case 'model_refused_text':
      return trans.__(
        '%1 blocked this request with its content filter. Try rephrasing it.',
        providerAtStart
      );
    case 'model_key_missing':
      return trans.__(
        'No API key for %1. Enter one first.',
        providerInSentence
      );
    case 'model_unknown':
      return trans.__(
        '%1 has no model with this name. Choose another one.',
        providerAtStart
      );
    case 'model_refused_request':
      return trans.__(
        '%1 rejected the request. Check the model name.',
        providerAtStart
      );
    case 'model_timeout':
      return trans.__(
        '%1 did not respond in time. Try again.',
        label ?? trans.__('The model')
      );
    case 'model_unavailable':
      return label
        ? trans.__(
            'Can’t connect to %1. Check the base URL and your connection, or try again in a moment.',
            label
          )
        : trans.__('Can’t connect to the model. Try again in a moment.');
    case 'model_failed':
      return trans.__(
        '%1 reported an internal error. Try again in a moment.',
        providerAtStart
      );
    case 'model_no_answer':
      return trans.__(
        '%1 did not return a valid model response. Check the base URL, then try again.',
        providerAtStart
      );
    case 'model_rate_limited':
      return failure.retryAfter
        ? trans.__(
            'Rate limited by %1. Try again in %2.',
            providerInSentence,
            durationText(Math.ceil(failure.retryAfter) * 1000, trans)
          )
        : trans.__(
            'Rate limited by %1. Try again in a moment.',
            providerInSentence
          );
    case 'model_package_missing':
      return label
        ? trans.__('%1 models need one more Python package.', label)
        : trans.__('This model needs one more Python package.');
    case 'model_not_allowed':
      return trans.__(
        'The administrator of this server does not allow this model. Choose another one.'
      );
    case 'prompt_too_long':
      return trans.__(
        'The request does not fit in this model’s context window. Shorten the cell or the request.'
      );
    case 'bad_answer':
      return trans.__(
        'The answer contained no usable code. Try rephrasing the request.'
      );
    case 'answer_cut':
      return trans.__(
        'The answer was cut off because it was too long. Ask for less at a time.'
      );
    case 'answer_broken_off':
      return trans.__(
        'The model stopped in the middle of its answer. Try again.'
      );
    case 'no_model':
      return (
        serverText(failure.message, trans) ||
        trans.__('No model is set up yet.')
      );
    default:
      return '';
  }
}

/** The text for an answer that could not be saved but can still be used. */
export function saveErrorText(code: string, trans: TranslationBundle): string {
  switch (code) {
    case 'storage_full':
      return trans.__(
        'The disk is full, so this answer was not saved to the history. You can still accept or copy it.'
      );
    case 'storage_unreachable':
      return trans.__(
        'Can’t connect to the history database, so this answer was not saved. You can still accept or copy it.'
      );
    case 'storage_busy':
      return trans.__(
        'Another Jupyter server is writing to this history, so this answer was not saved. You can still accept or copy it.'
      );
    case 'storage_read_only':
      return trans.__(
        'The history folder is read-only, so this answer was not saved. You can still accept or copy it.'
      );
    default:
      return trans.__(
        'This answer could not be saved to the history. You can still accept or copy it.'
      );
  }
}
