/**
 * Translates texts that come from the server. Their English templates are in the translation files
 * (`translations/*.po`), next to the page's own texts.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import type { UserText } from '../api/types';

/** Translate the template of a user text and fill in its parameters. */
export function serverText(text: UserText, trans: TranslationBundle): string {
  const params = text.params.map(param =>
    typeof param === 'string' ? param : serverText(param, trans)
  );
  return trans.gettext(text.template, ...params);
}

/**
 * Translate a sentence of the server that has no parameters. Return the sentence unchanged if it
 * has no translation, or if it contains "%". (`gettext` might take a text such as "%1" for a
 * parameter.)
 */
export function sentenceText(
  sentence: string,
  trans: TranslationBundle
): string {
  return sentence && !sentence.includes('%')
    ? trans.gettext(sentence)
    : sentence;
}

/** Translate the label of a provider or model. Only one label contains words to translate. */
export function labelText(label: string, trans: TranslationBundle): string {
  return label.replace(
    'OpenAI-compatible server',
    trans.__('OpenAI-compatible server')
  );
}
