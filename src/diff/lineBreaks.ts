/** People and models mean the same text by `\n`, `\r\n` (Windows) and `\r`. */

export function normalizeLineBreaks(code: string): string {
  return code.replace(/\r\n?/g, '\n');
}
