/**
 * Recognises the text that a request asks to remember: all of it after “remember …”, “记住…” or
 * `/remember`, or a clause at its end.
 *
 * Invariant: a question such as “remember how to plot?” isn't recognised, nor “a form that can
 * remember me”.
 */

/** Matches what is left out before the text, such as “please remember that”. */
const ENGLISH =
  /(?:please,?\s+)?remember(?=[\s:：,，])[\s:：,，]*(?:that\s+|to\s+)?/.source;
const CHINESE =
  /(?:[请請]|麻[烦煩]|帮我|幫我)*(?:[记記]住|[记記]得)了?[\s:：,，]*/.source;
const SLASH_WORD = /^\s*[/／](?:remember(?=[\s:：,，])|[记記]住)[\s:：,，]*/i;
const BEGINNING = new RegExp(`^\\s*(?:${ENGLISH}|${CHINESE})`, 'i');

/** Words between a request and its last clause: “…, and also remember to …”. */
const LINKS =
  /(?:(?:and|but|also|then)\s+|[并並]且?|另外|同[时時]|[还還]有|以[后後]|也|[,，]\s*)*/
    .source;
/** After an ASCII mark, a space must follow, as `a.remember` may be a name. */
const CLAUSE = new RegExp(
  `(?:[,;.:!?]\\s+|[，；。：！？\\n]\\s*|\\s(?:[-–—]+\\s+)?(?=(?:and|but)\\s))${LINKS}` +
    `(?:${ENGLISH}|${CHINESE})(?=\\S)`,
  'gi'
);

/** Beginnings of questions, and of texts with the word in another sense. */
const QUESTION =
  /^(?:how|what|when|where|why|who(?:se)?|which|whether|if)\b|^(?:怎|如何|什[么麼]|哪|[为為]什|[为為]何|是否|[谁誰]|多少|[几幾]|的|[过過]|不|[没沒]|住)/i;
const QUESTION_END = /[?？]$|[吗嗎呢][。.!！]*$/;
const PRONOUN =
  /^(?:me|you|us|them|it|this|that|these|those|我|它|[这這]个?|那个?)\W*$/i;
const NEXT_SENTENCE = /[。！？；;\n]\s*\S|[.!?]\s+\S/;

/** Return the text that a request as a whole asks to remember; null if it is another request. */
export function rememberedText(request: string): string | null {
  const word = SLASH_WORD.exec(request);
  if (word) {
    return request.slice(word[0].length).trim() || null;
  }
  const beginning = BEGINNING.exec(request);
  return beginning && statement(request.slice(beginning[0].length));
}

/** Return the text that the last clause of a longer request asks to remember, or null. */
export function rememberedClause(request: string): string | null {
  if (BEGINNING.test(request) || SLASH_WORD.test(request)) {
    return null;
  }
  const last = [...request.matchAll(CLAUSE)].pop();
  const text = last && statement(request.slice(last.index + last[0].length));
  return text && !NEXT_SENTENCE.test(text)
    ? text.replace(/[。.;；]+$/, '')
    : null;
}

function statement(text: string): string | null {
  const trimmed = text.trim();
  const isOther =
    QUESTION.test(trimmed) ||
    QUESTION_END.test(trimmed) ||
    PRONOUN.test(trimmed);
  return trimmed && !isOther ? trimmed : null;
}
