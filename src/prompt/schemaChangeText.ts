/** The texts that say how a DataFrame has changed since an earlier request with it. */
import type { TranslationBundle } from '@jupyterlab/translation';

import type { SchemaChange } from '../api/types';
import { countText } from '../labels/formats';

/** Such as a new column; `tag` is the HTML element that shows it. */
export interface ISchemaChangePart {
  readonly text: string;
  readonly tag: 'ins' | 'del' | 'span';
}

export function schemaChangeTitle(
  { name }: SchemaChange,
  trans: TranslationBundle
): string {
  return trans.__('%1 has changed since the last request with it:', name);
}

/** First the columns, then the class and the numbers. */
export function schemaChangeParts(
  change: SchemaChange,
  trans: TranslationBundle
): ISchemaChangePart[] {
  const { added, removed, retyped, kind, rows, columns } = change;
  const moreAdded = change.addedCount - added.length;
  const moreRemoved = change.removedCount - removed.length;
  const moreRetyped = change.retypedCount - retyped.length;
  const part = (tag: ISchemaChangePart['tag'], text: string) => ({ tag, text });
  const parts: (ISchemaChangePart | false | undefined | 0)[] = [
    ...added.map(({ name, dtype }) => part('ins', `+ ${name} (${dtype})`)),
    moreAdded > 0 &&
      part(
        'ins',
        trans._n('%1 more new column', '%1 more new columns', moreAdded)
      ),
    ...removed.map(({ name }) => part('del', `− ${name}`)),
    moreRemoved > 0 &&
      part(
        'del',
        trans._n(
          '%1 more removed column',
          '%1 more removed columns',
          moreRemoved
        )
      ),
    ...retyped.map(({ name, before, after }) =>
      part('span', trans.__('%1: %2 → %3', name, before, after))
    ),
    moreRetyped > 0 &&
      part(
        'span',
        trans._n('%1 more new type', '%1 more new types', moreRetyped)
      ),
    kind && part('span', `${kind.before} → ${kind.after}`),
    columns && part('span', countChangeText('columns', columns, trans)),
    rows && part('span', countChangeText('rows', rows, trans))
  ];
  return parts.filter(part => !!part);
}

/** “120 more rows” */
function countChangeText(
  what: 'rows' | 'columns',
  { before, after }: { before: number; after: number },
  trans: TranslationBundle
): string {
  const difference = Math.abs(after - before);
  const count = countText(difference, trans);
  if (what === 'rows') {
    return after > before
      ? trans._n('%2 more row', '%2 more rows', difference, count)
      : trans._n('%2 row fewer', '%2 rows fewer', difference, count);
  }
  return after > before
    ? trans._n('%2 more column', '%2 more columns', difference, count)
    : trans._n('%2 column fewer', '%2 columns fewer', difference, count);
}
