/**
 * The spaces between words and sentences. In Chinese, there is a space only where a Chinese word is
 * next to Latin letters or digits, but templates that are filled in may put spaces elsewhere.
 */

const CHINESE = '\\u3400-\\u9fff，。：；！？、（）「」';
/** Matches spaces between Chinese characters, and any spaces after full-width punctuation. */
const GAP = new RegExp(
  `([${CHINESE}]) +(?=[${CHINESE}])|([，。：；！？、）」]) +`,
  'g'
);

/** Remove spaces between Chinese words: "提供商拒绝了", but "OpenAI 拒绝了". */
export function closeGaps(text: string): string {
  return text.replace(GAP, '$1$2');
}

/** Join sentences to one text; empty sentences are left out. */
export function joinSentences(...sentences: string[]): string {
  return closeGaps(sentences.filter(Boolean).join(' '));
}
