/**
 * Error messages of earlier versions, which stored histories contain. Each is replaced by its
 * present wording (serverMessages.ts), so it needs no translation of its own.
 */

/** The earlier and the present message, with %1, %2 … in the same order. */
export const EARLIER_MESSAGES: [string, string][] = [
  ['The model could not answer.', 'The model could not answer. Try again.'],
  [
    'No model is set up yet. Run “jupyter aiserver model install”, or choose a provider.',
    'No model is set up yet. Run “jupyter aiserver model install”, or connect a provider.'
  ],
  [
    "The local model's file is gone. Run “jupyter aiserver model install”.",
    'The local model’s file is missing. Run “jupyter aiserver model install”.'
  ],
  [
    "That file is no GGUF model, so it can't be used.",
    'The model file is not in GGUF format. Use a GGUF file.'
  ],
  [
    'Models of this machine need one more package: %1',
    'Local models need one more Python package: %1'
  ],
  [
    'Models of %1 need one more package: %2',
    '%1 models need one more Python package: %2'
  ],
  [
    'There is no key for %1 yet. Connect it, or set %2.',
    'No API key for %1. Connect it, or set %2.'
  ],
  [
    '%1 would lead the request elsewhere. Unset it, or give a base_url.',
    'The environment variable %1 would redirect the request. Unset it, or set a base_url.'
  ],
  [
    'The configured model must be written “provider:name”, such as “openai:gpt-4.1-mini”.',
    'The configured model must have the form “provider:name”, such as “openai:gpt-4.1-mini”.'
  ],
  [
    'The administrator of this server does not allow that model.',
    'The administrator of this server does not allow this model. Choose another one.'
  ],
  [
    'The administrator of this server does not allow that provider.',
    'The administrator of this server does not allow this provider. Choose another one.'
  ],
  [
    'The administrator of this server has settled where requests to this provider go.',
    'The administrator of this server has fixed this provider’s base URL, so it can’t be changed.'
  ],
  [
    'Here only models that Ollama runs itself are allowed, and it does not list this one as such.',
    'Only models that run in Ollama on this machine are allowed here, and Ollama does not list this one as local.'
  ],
  [
    'The key for %1 could not be read. Unlock the keyring of this machine, or enter the key again.',
    'The API key for %1 could not be read. Unlock the server’s keychain, or enter the key again.'
  ],
  [
    'The model began to repeat itself, so it was stopped. Say it in other words.',
    'The model started repeating itself, so it was stopped. Try rephrasing the request.'
  ],
  [
    "The model's answer could not be read. Try again in a moment.",
    'The model’s answer could not be read. Try again in a moment.'
  ],
  [
    'That is more text than this model can read. Shorten the cell or the request.',
    'The request does not fit in this model’s context window. Shorten the cell or the request.'
  ],
  [
    "The model's answer held no code. Try to say it another way.",
    'The answer contained no usable code. Try rephrasing the request.'
  ],
  [
    'The answer was cut off because it grew too long. Ask for less at once.',
    'The answer was cut off because it was too long. Ask for less at a time.'
  ],
  [
    '%1 refused the key. Check the key and try again.',
    '%1 rejected the API key. Check the key, then try again.'
  ],
  [
    '%1 refused the key. Check the key, then try again.',
    '%1 rejected the API key. Check the key, then try again.'
  ],
  [
    '%1 does not let this key use that model.',
    '%1 does not allow this model with your API key. Choose another model or key.'
  ],
  [
    '%1 does not let this key use that model. Choose another model, or another key.',
    '%1 does not allow this model with your API key. Choose another model or key.'
  ],
  [
    'The account at %1 has no credit left. Add some there.',
    'Your account with %1 has no credit or quota left. Check your plan and billing.'
  ],
  [
    'The account at %1 has no credit or quota left. Check its plan and billing there.',
    'Your account with %1 has no credit or quota left. Check your plan and billing.'
  ],
  [
    'The provider asks for a key, and none is set. Connect the provider first.',
    'No API key for the provider. Enter one first.'
  ],
  [
    'There is no key for %1 at hand. Enter one first.',
    'No API key for %1. Enter one first.'
  ],
  [
    '%1 knows no model of that name. Choose another one.',
    '%1 has no model with this name. Choose another one.'
  ],
  [
    "%1 refused the request. Check the model's name and options.",
    '%1 rejected the request. Check the model name.'
  ],
  [
    '%1 refused the request. Check the name of the model.',
    '%1 rejected the request. Check the model name.'
  ],
  [
    "%1's filter refused this text. Say it in other words.",
    '%1 blocked this request with its content filter. Try rephrasing it.'
  ],
  [
    'The filter of %1 refused this text. Say it in other words.',
    '%1 blocked this request with its content filter. Try rephrasing it.'
  ],
  [
    'The provider asks to wait: too many requests. Try again in a moment.',
    'Rate limited by the provider. Try again in a moment.'
  ],
  [
    '%1 asks to wait: too many requests. Try again in a moment.',
    'Rate limited by %1. Try again in a moment.'
  ],
  [
    "The model can't be reached right now. Try again in a moment.",
    'Can’t connect to the model. Try again in a moment.'
  ],
  [
    '%1 can’t be reached right now. Check its address and the connection, or try again in a moment.',
    'Can’t connect to %1. Check the base URL and your connection, or try again in a moment.'
  ],
  [
    'What came back was no answer of a model. Check the address, and try again.',
    'The provider did not return a valid model response. Check the base URL, then try again.'
  ],
  [
    'The response from %1 is not a model’s answer. Check the address, then try again.',
    '%1 did not return a valid model response. Check the base URL, then try again.'
  ],
  [
    '%1 did not answer in time. Try again.',
    '%1 did not respond in time. Try again.'
  ]
];
