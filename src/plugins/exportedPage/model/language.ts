/**
 * Chooses the language of the page, and translates its texts. The content security policy forbids
 * evaluating code, so `Intl.PluralRules` chooses plural forms.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

/** By English text, or by `context\x04text`. */
export type Catalogue = Readonly<Record<string, readonly string[]>>;

/** Return the first preferred language that is English or has a translation, or else English. */
export function pickLanguage(
  preferred: readonly string[],
  translated: readonly string[]
): string {
  // Compare scripts, too: zh-TW is written in another script than zh-CN.
  const withScript = (tag: string) => {
    const { language, script } = new Intl.Locale(tag).maximize();
    return `${language}-${script}`;
  };
  const byScript = new Map(
    [...translated, 'en'].map(tag => [withScript(tag), tag])
  );
  const match = preferred.map(withScript).find(tag => byScript.has(tag));
  return (match !== undefined && byScript.get(match)) || 'en';
}

/** In the order of the forms in a catalogue. */
const PLURALS = ['zero', 'one', 'two', 'few', 'many', 'other'];

export function createBundle(
  language: string,
  catalogue: Catalogue
): TranslationBundle {
  const rules = new Intl.PluralRules(language);
  const used: string[] = rules.resolvedOptions().pluralCategories;
  const categories = PLURALS.filter(name => used.includes(name));
  const fill = (text: string, values: unknown[]) =>
    text.replace(/%(\d)/g, (_, position) => String(values[position - 1]));
  const translate = (id: string, key = id) => catalogue[key]?.[0] ?? id;
  const bundle = {
    __: (id: string, ...values: unknown[]) => fill(translate(id), values),
    _p: (context: string, id: string, ...values: unknown[]) =>
      fill(translate(id, `${context}\x04${id}`), values),
    _n: (id: string, plural: string, n: number, ...values: unknown[]) => {
      const forms = catalogue[id] ?? [id, plural];
      const form = categories.indexOf(rules.select(n));
      return fill(forms[Math.min(form, forms.length - 1)], [n, ...values]);
    },
    gettext: (id: string) => translate(id),
    getLocale: () => language
  };
  return bundle as unknown as TranslationBundle;
}
