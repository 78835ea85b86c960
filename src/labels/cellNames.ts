/**
 * The one form of cell names: "Cell 3" is the third cell of the notebook, of whatever type.
 *
 * Not the `[7]` beside a cell: that changes with each run, and most cells of the past have none.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

/** The name of the cell at this place, counted from 1; null for a deleted cell. */
export function cellName(
  number: number | null,
  trans: TranslationBundle
): string {
  return number === null
    ? trans.__('Deleted cell')
    : trans.__('Cell %1', number);
}
