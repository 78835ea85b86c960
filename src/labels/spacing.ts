/** Spaces between words and sentences; Chinese has them only next to Latin letters and digits. */

const CHINESE = '\\u3400-\\u9fff，。：；！？、（）「」';
// Full-width punctuation is never followed by a space.
const GAP = new RegExp(
  `([${CHINESE}]) +(?=[${CHINESE}])|([，。：；！？、）」]) +`,
  'g'
);

/** Remove spaces between Chinese words: "提供商拒绝了", but "OpenAI 拒绝了". */
export function closeGaps(text: string): string {
  return text.replace(GAP, '$1$2');
}

/** Join sentences to one text, without the empty ones. */
export function joinSentences(...sentences: string[]): string {
  return closeGaps(sentences.filter(Boolean).join(' '));
}
