/**
 * Pick the locale for times: the interface's language in the variant that the browser prefers (an
 * English interface shows 14:05 in London and 2:05 PM in Boston).
 */
export function pickLocale(
  language: string,
  preferred: readonly string[]
): string {
  const tag = language.replace('_', '-');
  const base = (name: string) => name.split('-')[0].toLowerCase();
  const variant = preferred.find(name => base(name) === base(tag));
  // A variant in the interface's own tag (zh-TW) takes precedence.
  return tag.includes('-') ? tag : (variant ?? tag);
}
