/**
 * Chooses the language of the page, and translates its texts. The page uses the first of the
 * browser's languages for which there is a translation. If there is none, it uses English.
 *
 * Invariant: nothing is evaluated as code, because the page's content security policy forbids it.
 * Therefore plural forms are chosen by the browser's `Intl.PluralRules`, not by the formula in a
 * translation catalogue.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

/**
 * The translations of one language, by English text. A text has several translations if it has
 * plural forms. As in JupyterLab's format, the key of a text with a context is `context\x04text`.
 */
export type Catalogue = Readonly<Record<string, readonly string[]>>;

/** Return the first preferred language that is English or has a translation, otherwise English. */
export function pickLanguage(
  preferred: readonly string[],
  translated: readonly string[]
): string {
  // Compare scripts, too: zh-TW is written in another script than zh-CN.
  const withScript = (tag: string) => new Intl.Locale(tag).maximize();
  for (const locale of preferred.map(withScript)) {
    const match = ['en', ...translated].find(tag => {
      const { language, script } = withScript(tag);
      return language === locale.language && script === locale.script;
    });
    if (match) {
      return match;
    }
  }
  return 'en';
}

/** The names of plural forms in `Intl.PluralRules`, in the order of the forms in a catalogue. */
const PLURALS = ['zero', 'one', 'two', 'few', 'many', 'other'];

/** Create a translation bundle that has only the methods that the page uses. */
export function createBundle(
  language: string,
  catalogue: Catalogue
): TranslationBundle {
  const rules = new Intl.PluralRules(language);
  const categories = PLURALS.filter(name =>
    (rules.resolvedOptions().pluralCategories as string[]).includes(name)
  );
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
