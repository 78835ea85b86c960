/** Compile a PO file to the JSON that JupyterLab reads, without missing and fuzzy translations. */
import { po } from 'gettext-parser';

export function compilePo(bytes) {
  const { headers, translations } = po.parse(bytes);
  const entries = [];
  for (const [context, messages] of Object.entries(translations)) {
    for (const { msgid, msgid_plural, msgstr, comments } of Object.values(
      messages
    )) {
      if (!msgid || !msgstr.every(Boolean) || comments?.flag?.match(/fuzzy/)) {
        continue;
      }
      // JupyterLab's gettext ignores a list with one form, so in a language with only one plural
      // form, such as Chinese, the form is listed twice.
      const forms =
        msgid_plural && msgstr.length === 1 ? [...msgstr, ...msgstr] : msgstr;
      entries.push([context ? `${context}\u0004${msgid}` : msgid, forms]);
    }
  }
  const head = {
    domain: 'aiserver',
    language: headers.Language.replace('_', '-'),
    plural_forms: headers['Plural-Forms']
  };
  const compiled = { '': head, ...Object.fromEntries(entries) };
  return JSON.stringify(compiled);
}
