/** Decides for which texts in the input field a past answer is looked for. */

const CJK = /[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]/;
const SLASH_WORD = /^\/\S*\s*/;
/** The least length; a character of Chinese, Japanese or Korean counts twice. */
const MIN_LENGTH = 8;

/** Return a text without a slash word at its beginning; empty if the rest is too short. */
export function offeredRequest(text: string): string {
  const request = text.trim().replace(SLASH_WORD, '').trim();
  const length = [...request].reduce(
    (sum, character) => sum + (CJK.test(character) ? 2 : 1),
    0
  );
  return length >= MIN_LENGTH ? request : '';
}
