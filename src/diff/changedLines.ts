/**
 * Computes a diff as a list of lines, each with its changed ranges. Invariants: the unchanged and
 * the added lines together are the new code, the unchanged and the removed ones the old code.
 */
import { type IRange, areSimilar, lineAt, lineDiff } from './lineDiff';

export interface IChangedLine extends IRange {
  /** The offsets of a removed line refer to the old code, the others' to the new code. */
  readonly kind: 'same' | 'removed' | 'added';
  readonly ranges: readonly IRange[];
}

/** Unchanged lines to show before and after a changed one. */
const CONTEXT_LINES = 2;

export function changedLines(before: string, code: string): IChangedLine[] {
  const { a, b, hunks } = lineDiff(before, code);
  const isSimilar = areSimilar(before, code);
  const lines: IChangedLine[] = [];
  const addLines = (
    kind: IChangedLine['kind'],
    text: string,
    { from, to }: IRange,
    ranges: readonly IRange[] = []
  ) => {
    for (let start = from; start < Math.min(to, text.length);) {
      const line = lineAt(text, start);
      const lineRanges = ranges
        .filter(range => range.from < line.to && range.to > line.from)
        .map(range => ({
          from: Math.max(range.from, line.from),
          to: Math.min(range.to, line.to)
        }));
      lines.push({ kind, ...line, ranges: lineRanges });
      start = line.to + 1;
    }
  };
  let previousEnd = 0;
  for (const hunk of hunks) {
    const { fromA, toA, fromB, toB } = hunk;
    const marked = isSimilar ? hunk.changes : [];
    const inA = marked.map(change => ({ from: change.fromA, to: change.toA }));
    const inB = marked.map(change => ({ from: change.fromB, to: change.toB }));
    addLines('same', b, { from: previousEnd, to: fromB });
    addLines('removed', a, { from: fromA, to: toA }, inA);
    addLines('added', b, { from: fromB, to: toB }, inB);
    previousEnd = toB;
  }
  addLines('same', b, { from: previousEnd, to: b.length });
  return lines;
}

export interface ILineCount {
  readonly added: number;
  readonly removed: number;
}

export function countLines(lines: readonly IChangedLine[]): ILineCount {
  const count = (countedKind: IChangedLine['kind']) =>
    lines.filter(({ kind }) => kind === countedKind).length;
  return { added: count('added'), removed: count('removed') };
}

/** Return, for each line, whether it is changed or at most `CONTEXT_LINES` from a changed one. */
export function areNearChanges(lines: readonly IChangedLine[]): boolean[] {
  const areNear = lines.map(() => false);
  lines.forEach(({ kind }, index) => {
    if (kind !== 'same') {
      areNear.fill(
        true,
        Math.max(0, index - CONTEXT_LINES),
        index + CONTEXT_LINES + 1
      );
    }
  });
  return areNear;
}

/** Count the lines that were added and removed. */
export function countLineChanges(before: string, code: string): ILineCount {
  const splitLines = (text: string) => (text ? text.split(/\r\n?|\n/) : []);
  const oldLines = splitLines(before);
  const newLines = splitLines(code);
  return before && code
    ? countLines(changedLines(oldLines.join('\n'), newLines.join('\n')))
    : { added: newLines.length, removed: oldLines.length };
}
