/**
 * What went wrong, as one sentence, by the code of the error. The server words it in English
 * alone; a sentence that is known here can be translated.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import type { IFailure } from '../models/failure';

export function failureText(
  failure: IFailure,
  trans: TranslationBundle
): string {
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
    case 'model_timeout':
      return trans.__('The model did not answer in time. Try again.');
    case 'model_unavailable':
      return trans.__(
        'The model can’t be reached right now. Try again in a moment.'
      );
    case 'model_rate_limited':
      return failure.retryAfter
        ? trans.__(
            'The provider asks to wait %1 seconds: too many requests.',
            Math.ceil(failure.retryAfter)
          )
        : trans.__(
            'The provider asks to wait: too many requests. Try again in a moment.'
          );
    case 'prompt_too_long':
      return trans.__(
        'That is more text than this model can read. Shorten the cell or the request.'
      );
    case 'no_model':
      return (
        failure.message ||
        trans.__('No model is set up yet, so nothing can answer.')
      );
    default:
      return failure.message || trans.__('That did not work. Try again.');
  }
}

/** Why an answer is not in the history. It is there to be used all the same. */
export function unkeptText(code: string, trans: TranslationBundle): string {
  switch (code) {
    case 'storage_full':
      return trans.__(
        'The disk is full, so this answer is not in the history. You can still accept or copy it.'
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
