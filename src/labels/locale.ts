/**
 * Return the locale for times: the interface's language, in the variant that the browser prefers,
 * such as 14:05 for a person in London and 2:05 PM in Boston.
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
