/**
 * Removes spaces that don't belong in a Chinese text: only a space between Chinese and Latin
 * letters or digits does. A template that was filled in may have others.
 */

const CHINESE = '\\u3400-\\u9fff，。：；！？、（）「」';
/** Matches spaces between Chinese characters, and any spaces after full-width punctuation. */
const GAP = new RegExp(
  `([${CHINESE}]) +(?=[${CHINESE}])|([，。：；！？、）」]) +`,
  'g'
);

/** Remove spaces between Chinese words: "提供商 拒绝了" loses its space, "OpenAI 拒绝了" doesn't. */
export function removeChineseSpaces(text: string): string {
  return text.replace(GAP, '$1$2');
}

/** Join sentences into one text; empty sentences are left out. */
export function joinSentences(...sentences: string[]): string {
  return removeChineseSpaces(sentences.filter(Boolean).join(' '));
}
