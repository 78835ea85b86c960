/**
 * "Cell 3" is the third cell of the notebook, of any type. An execution count, such as `[7]`,
 * changes with each run.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

export function cellName(
  number: number | null,
  trans: TranslationBundle
): string {
  return number === null
    ? trans.__('Deleted cell')
    : trans.__('Cell %1', number);
}
