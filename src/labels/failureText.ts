/**
 * The sentences about failures that only the page notices or describes in another way than the
 * server, and about what the administrator forbids.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import type { UserText } from '../api/types';
import type { IFailure } from '../state/failure';
import type { Feature } from '../state/features';
import { durationText } from './formats';
import { labelText, removeChineseSpaces, serverText } from './serverText';

export function failureText(
  failure: IFailure,
  trans: TranslationBundle
): string {
  return removeChineseSpaces(
    pageText(failure, trans) ||
      (failure.text ? serverText(failure.text, trans) : failure.message) ||
      trans.__('Something went wrong. Try again.')
  );
}

function pageText(failure: IFailure, trans: TranslationBundle): string {
  const { provider } = failure;
  const texts = new Map([
    [
      'interrupted',
      trans.__('The answer was interrupted before it was complete. Try again.')
    ],
    [
      'stopped_elsewhere',
      trans.__(
        'The answer was stopped: the server shut down, or a new request was made in this cell from another tab.'
      )
    ],
    ['cell_deleted', trans.__('The cell is no longer in the notebook.')],
    [
      'unreachable',
      trans.__(
        'The Jupyter server is not responding. Check that it is running, then try again.'
      )
    ],
    [
      'unauthenticated',
      trans.__(
        'Your session has expired. Sign in again and return to this page; nothing is lost.'
      )
    ],
    [
      'proxy_error',
      trans.__(
        'A proxy responded instead of the Jupyter server. Try again in a moment.'
      )
    ],
    [
      'install_interrupted',
      trans.__('The connection was lost. Try again to resume the download.')
    ],
    ['no_model', failure.text ? '' : trans.__('No model is set up yet.')],
    [
      'bad_setting',
      trans.__(
        'AI Server can’t start because one of its settings is invalid. %1',
        failure.message
      )
    ],
    ['model_rate_limited', rateLimitText(failure, trans)],
    [
      'model_package_missing',
      provider
        ? trans.__(
            '%1 models need one more Python package.',
            labelText(provider.label, trans)
          )
        : trans.__('This model needs one more Python package.')
    ],
    ['invalid_request', failure.text ? fieldText(failure.text, trans) : '']
  ]);
  return texts.get(failure.code) ?? '';
}

function rateLimitText(
  { provider, retryAfter }: IFailure,
  trans: TranslationBundle
): string {
  return retryAfter
    ? trans.__(
        'Rate limited by %1. Try again in %2.',
        provider ? labelText(provider.label, trans) : trans.__('the provider'),
        durationText(Math.ceil(retryAfter) * 1000, trans)
      )
    : '';
}

/** The server's sentence about an invalid field, with the label of its input; empty without one. */
function fieldText(text: UserText, trans: TranslationBundle): string {
  const labels: Record<string, string> = {
    key: trans.__('API key'),
    address: trans.__('Base URL'),
    onThisMachine: trans.__('Runs on the Jupyter server’s machine'),
    intent: trans.__('Request'),
    q: trans.__('Search text')
  };
  const [field, ...params] = text.params;
  return typeof field === 'string' && Object.hasOwn(labels, field)
    ? serverText({ ...text, params: [labels[field], ...params] }, trans)
    : '';
}

export function saveErrorText(code: string, trans: TranslationBundle): string {
  const texts: Record<string, string> = {
    storage_full: trans.__(
      'The disk is full, so this answer was not saved to the history. You can still accept or copy it.'
    ),
    storage_unreachable: trans.__(
      'Can’t connect to the history database, so this answer was not saved. You can still accept or copy it.'
    ),
    storage_busy: trans.__(
      'Another Jupyter server is writing to this history, so this answer was not saved. You can still accept or copy it.'
    ),
    storage_read_only: trans.__(
      'The history folder is read-only, so this answer was not saved. You can still accept or copy it.'
    )
  };
  return (
    texts[code] ??
    trans.__(
      'This answer could not be saved to the history. You can still accept or copy it.'
    )
  );
}

export function forbiddenText(
  feature: Exclude<Feature, 'agents' | 'completion' | 'receipts'>,
  trans: TranslationBundle
): string {
  return {
    remote_models: trans.__(
      'Your administrator only allows models on this computer.'
    ),
    running: trans.__('Your administrator has turned off “Accept and run”.'),
    files: trans.__('Your administrator doesn’t allow files in requests.'),
    outputs: trans.__(
      'Your administrator doesn’t allow outputs and values in requests.'
    ),
    data_values: trans.__(
      'Your administrator doesn’t allow statistics and rows in requests to remote models.'
    ),
    memory: trans.__('Your administrator doesn’t allow memories.')
  }[feature];
}
