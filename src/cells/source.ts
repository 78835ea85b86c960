/**
 * Reads the source of a cell.
 *
 * Invariant: AI Server compares, records and sends sources with `\n` only. So a file with the line
 * breaks of Windows has the same histories as one without, and nobody counts as the author of a
 * line break. The cell itself keeps its line breaks until somebody changes it (`lineBreaks/`).
 */
import { normalizeLineBreaks } from '../diff/lineBreaks';

/** Return the source of a shared cell, with `\n` as its line breaks. */
export function sourceOf(cell: { getSource(): string }): string {
  return normalizeLineBreaks(cell.getSource());
}
