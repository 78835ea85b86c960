/**
 * The locale for times: the interface's language, in the variant of it that the browser
 * prefers (an English interface says 14:05 in London and 2:05 PM in Boston).
 */
export function pickLocale(
  language: string,
  preferred: readonly string[]
): string {
  const tag = language.replace('_', '-');
  const base = (name: string) => name.split('-')[0].toLowerCase();
  const found = preferred.find(name => base(name) === base(tag));
  // Where the interface names a variant itself (zh-TW), that one is meant.
  return tag.includes('-') ? tag : (found ?? tag);
}
