/**
 * Return the locale in which times are formatted: the interface's language, in the regional variant
 * that the browser prefers. For example, an English interface shows 14:05 to a person in London and
 * 2:05 PM to a person in Boston.
 *
 * @param language - The interface's language. If it is a regional variant, such as zh-TW, this
 * variant is returned.
 * @param preferred - The languages that the person chose in the browser.
 */
export function pickLocale(
  language: string,
  preferred: readonly string[]
): string {
  const tag = language.replace('_', '-');
  const withoutRegion = (name: string) => name.split('-')[0].toLowerCase();
  const variant = preferred.find(
    name => withoutRegion(name) === withoutRegion(tag)
  );
  return tag.includes('-') ? tag : (variant ?? tag);
}
