/**
 * The names of cells in all features: "Cell 3" is the third cell of the notebook, whatever its type.
 *
 * A cell's execution count `[7]` would not be a good name: it changes with each run, and most cells
 * in a snapshot have none.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

/** Return a cell's name. `number` is its position, counted from 1, or null if it was deleted. */
export function cellName(
  number: number | null,
  trans: TranslationBundle
): string {
  return number === null
    ? trans.__('Deleted cell')
    : trans.__('Cell %1', number);
}
