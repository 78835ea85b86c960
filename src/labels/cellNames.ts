/**
 * The common form of cell names: "Cell 3" is the third cell of the notebook, of any type.
 *
 * The execution count `[7]` is not used: it changes with each run, and most past cells have none.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

/** Format the name of the cell at a position, counted from 1; null for a deleted cell. */
export function cellName(
  number: number | null,
  trans: TranslationBundle
): string {
  return number === null
    ? trans.__('Deleted cell')
    : trans.__('Cell %1', number);
}
