/** Translations of texts that the server words. Their templates are in the same catalogue. */
import type { TranslationBundle } from '@jupyterlab/translation';

import type { UserText } from '../api/types';

/** Translate a template of the server and fill in its parameters. */
export function serverText(text: UserText, trans: TranslationBundle): string {
  const params = text.params.map(param =>
    typeof param === 'string' ? param : serverText(param, trans)
  );
  return trans.gettext(text.template, ...params);
}

/** Translate a sentence of the server that is its own template; return an unknown one unchanged. */
export function sentenceText(
  sentence: string,
  trans: TranslationBundle
): string {
  return sentence && !sentence.includes('%')
    ? trans.gettext(sentence)
    : sentence;
}

/** The label of a provider or model. Only one provider has a name that is translated. */
export function labelText(label: string, trans: TranslationBundle): string {
  return label.replace(
    'OpenAI-compatible server',
    trans.__('OpenAI-compatible server')
  );
}
