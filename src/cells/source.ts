/**
 * Reads the source of a cell.
 *
 * Invariant: AI Server compares, records and sends sources with `\n` only. So a file with the line
 * breaks of Windows has the same histories, and nobody counts as the author of a line break. The
 * cell keeps its line breaks until somebody changes it (`lineBreaks/`).
 */
import { digest } from 'lib0/hash/sha256';

import { normalizeLineBreaks } from '../diff/lineBreaks';

export function sourceOf(cell: { getSource(): string }): string {
  return normalizeLineBreaks(cell.getSource());
}

/**
 * Return the SHA-256, in hexadecimal, of a cell's source with its own line breaks.
 *
 * `crypto.subtle` needs a secure context, but servers may be reached by plain HTTP.
 */
export function digestOf(cell: { getSource(): string }): string {
  const bytes = digest(new TextEncoder().encode(cell.getSource()));
  return [...bytes].map(byte => byte.toString(16).padStart(2, '0')).join('');
}
