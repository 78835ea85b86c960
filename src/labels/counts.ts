/** Numbers as the interface's language writes them; the browser may speak another one. */
import type { TranslationBundle } from '@jupyterlab/translation';

export function countText(count: number, trans: TranslationBundle): string {
  // JupyterLab's bundles know their language, though their interface does not say so.
  const { getLocale } = trans as { getLocale?: () => string };
  return count.toLocaleString(getLocale?.call(trans) ?? 'en');
}
