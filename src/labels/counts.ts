/** Formats numbers in the interface's language: 1234 is "1,234" in English. */
import type { TranslationBundle } from '@jupyterlab/translation';

export function countText(count: number, trans: TranslationBundle): string {
  return count.toLocaleString(localeOf(trans));
}

/** Return the language of the interface, such as "zh-CN". */
export function localeOf(trans: TranslationBundle): string {
  // JupyterLab's bundles have this method, but it is not in their type.
  const { getLocale } = trans as { getLocale?: () => string };
  return getLocale?.call(trans) ?? 'en';
}
