/** Translates texts from the server, whose templates are in `translations/*.po`. */
import type { TranslationBundle } from '@jupyterlab/translation';

import type { UserText } from '../api/types';

export function serverText(text: UserText, trans: TranslationBundle): string {
  const params = text.params.map(param =>
    typeof param === 'string' ? param : serverText(param, trans)
  );
  return trans.gettext(text.template, ...params);
}

/** Translate a sentence without parameters; one that contains "%" stays. */
export function sentenceText(
  sentence: string,
  trans: TranslationBundle
): string {
  return sentence && !sentence.includes('%')
    ? trans.gettext(sentence)
    : sentence;
}

/** Only one label contains words to translate. */
export function labelText(label: string, trans: TranslationBundle): string {
  return label.replace(
    'OpenAI-compatible server',
    trans.__('OpenAI-compatible server')
  );
}

const CHINESE = '\\u3400-\\u9fff，。：；！？、（）「」';
/** Matches spaces between Chinese characters, and after full-width punctuation. */
const GAP = new RegExp(
  `([${CHINESE}]) +(?=[${CHINESE}])|([，。：；！？、）」]) +`,
  'g'
);

/** "提供商 拒绝了" loses its space, "OpenAI 拒绝了" doesn't. */
export function removeChineseSpaces(text: string): string {
  return text.replace(GAP, '$1$2');
}

/** Empty sentences are left out. */
export function joinSentences(...sentences: string[]): string {
  return removeChineseSpaces(sentences.filter(Boolean).join(' '));
}
