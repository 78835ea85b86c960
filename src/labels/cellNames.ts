/**
 * The names of cells in all features. "Cell 3" is the third cell of the notebook; cells of all
 * types are counted.
 *
 * A cell's execution count, such as `[7]`, would not be a good name: it changes with each run, and
 * most cells in a snapshot have no execution count.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

/** Return a cell's name. `number` is the position, from 1; null if the cell was deleted. */
export function cellName(
  number: number | null,
  trans: TranslationBundle
): string {
  return number === null
    ? trans.__('Deleted cell')
    : trans.__('Cell %1', number);
}
