/** Writes the mention of a DataFrame's column, such as `@df.price` or `@df."unit price"`. */

const IDENTIFIER = /^[\p{ID_Start}_][\p{ID_Continue}]*$/u;

export function columnMention(frame: string, column: string): string {
  return `@${frame}.${IDENTIFIER.test(column) ? column : `"${column}"`}`;
}
