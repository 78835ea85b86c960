/** The selected lines of a cell, as the text around them: valid while only they change. */
import { normalizeLineBreaks } from '../../../diff/lineBreaks';

export interface ISelection {
  readonly above: string;
  readonly below: string;
}

export interface ILineRange {
  readonly first: number;
  readonly last: number;
}

/** Return the selected lines; null for none or all. */
export function selectLines(
  text: string,
  from: number,
  to: number
): ISelection | null {
  const source = normalizeLineBreaks(text);
  const [first, last] = [from, to].map(
    offset => normalizeLineBreaks(text.slice(0, offset)).length
  );
  if (first >= last) {
    return null;
  }
  const start = source.lastIndexOf('\n', first - 1) + 1;
  const lastOffset = source[last - 1] === '\n' ? last - 1 : last;
  const end = source.indexOf('\n', lastOffset);
  const above = source.slice(0, first ? start : 0);
  const below = end < 0 ? '' : source.slice(end);
  return above || below ? { above, below } : null;
}

/** Null if other lines of the text have changed. */
export function lineRange(
  { above, below }: ISelection,
  source: string
): ILineRange | null {
  const isUnchanged =
    source.length >= above.length + below.length &&
    source.startsWith(above) &&
    source.endsWith(below);
  const countLines = (text: string) => text.split('\n').length;
  return isUnchanged
    ? {
        first: countLines(above),
        last: countLines(source) - countLines(below) + 1
      }
    : null;
}

export function selectionOfLines(
  source: string,
  { first, last }: ILineRange
): ISelection | null {
  const lines = source.split('\n');
  const above = lines.slice(0, first - 1).map(line => `${line}\n`);
  const below = lines.slice(last).map(line => `\n${line}`);
  const selection = { above: above.join(''), below: below.join('') };
  return selection.above || selection.below ? selection : null;
}
