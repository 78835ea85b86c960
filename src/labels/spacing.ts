/** Spaces between words and sentences, which Chinese has only beside Latin letters and digits. */

const CHINESE = '\\u3400-\\u9fff，。：；！？、（）「」';
// After full-width punctuation there is none before Latin letters either.
const GAP = new RegExp(
  `([${CHINESE}]) +(?=[${CHINESE}])|([，。：；！？、）」]) +`,
  'g'
);

/** A filled-in text without a space between two Chinese words: "提供商拒绝了", "OpenAI 拒绝了". */
export function closeGaps(text: string): string {
  return text.replace(GAP, '$1$2');
}

/** Several sentences as one text; those that are empty are left out. */
export function joinSentences(...sentences: string[]): string {
  return closeGaps(sentences.filter(Boolean).join(' '));
}
