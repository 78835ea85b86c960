/**
 * The language of the page: that of the browser, if it is translated.
 *
 * Invariant: no code is evaluated (the page's policy forbids it), so the plural form is chosen by
 * the browser's own rules and not by the formula of a catalogue.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

/** The translations of one language, by English text. */
export type Catalogue = Readonly<Record<string, readonly string[]>>;

/** Choose the first preferred language among the translated ones; else English. */
export function pickLanguage(
  preferred: readonly string[],
  translated: readonly string[]
): string {
  const full = (tag: string) => new Intl.Locale(tag).maximize();
  for (const wanted of preferred.map(full)) {
    const match = ['en', ...translated].find(tag => {
      const { language, script } = full(tag);
      return language === wanted.language && script === wanted.script;
    });
    if (match) {
      return match;
    }
  }
  return 'en';
}

/** The order of the plural forms in a catalogue. */
const PLURALS = ['zero', 'one', 'two', 'few', 'many', 'other'];

/** Create the part of JupyterLab's translation bundle that the page and its labels use. */
export function createBundle(
  language: string,
  catalogue: Catalogue
): TranslationBundle {
  const rules = new Intl.PluralRules(language);
  const categories = PLURALS.filter(name =>
    (rules.resolvedOptions().pluralCategories as string[]).includes(name)
  );
  const fill = (text: string, values: unknown[]) =>
    text.replace(/%(\d)/g, (_, at) => String(values[at - 1]));
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
