/**
 * Return the locale in which times are formatted: the interface's language, in the regional variant
 * that the browser prefers. For example, an English interface shows 14:05 to a person in London and
 * 2:05 PM to a person in Boston.
 */
export function pickLocale(
  language: string,
  preferred: readonly string[]
): string {
  const tag = language.replace('_', '-');
  const base = (name: string) => name.split('-')[0].toLowerCase();
  const variant = preferred.find(name => base(name) === base(tag));
  // If the interface's language is itself a variant, such as zh-TW, that is used.
  return tag.includes('-') ? tag : (variant ?? tag);
}
