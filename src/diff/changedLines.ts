/**
 * Computes a diff as a list of unchanged, removed and added lines, each with its changed ranges.
 * The list is used to render code without an editor, and to count lines. All functions are pure.
 *
 * Invariants: the unchanged and the added lines together are the new code; the unchanged and the
 * removed lines together are the old code.
 */
import {
  type IHunk,
  type IRange,
  areSimilar,
  lineAt,
  lineDiff
} from './lineDiff';

export interface IChangedLine extends IRange {
  /**
   * Whether the line is unchanged, removed or added. The offsets of a removed line refer to the old
   * code, and those of the other lines refer to the new code.
   */
  readonly kind: 'same' | 'removed' | 'added';
  /** The changed ranges in the line; none if so much changed that marking them would not help. */
  readonly ranges: readonly IRange[];
}

/** The number of unchanged lines that are shown before and after a changed line. */
const CONTEXT_LINES = 2;

/** Compare the old code `before` with the new code `code`, line by line. */
export function changedLines(before: string, code: string): IChangedLine[] {
  const { a, b, hunks } = lineDiff(before, code);
  const isSimilar = areSimilar(before, code);
  const lines: IChangedLine[] = [];
  /** Add the lines of `text` in a range. */
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
    const markedChanges = isSimilar ? hunk.changes : [];
    addLines('same', b, { from: previousEnd, to: hunk.fromB });
    addLines('removed', a, rangeInA(hunk), markedChanges.map(rangeInA));
    addLines('added', b, rangeInB(hunk), markedChanges.map(rangeInB));
    previousEnd = hunk.toB;
  }
  addLines('same', b, { from: previousEnd, to: b.length });
  return lines;
}

/** Return the range of a hunk, or of a change in it, in the old code. */
function rangeInA({ fromA, toA }: Pick<IHunk, 'fromA' | 'toA'>): IRange {
  return { from: fromA, to: toA };
}

/** Return the range of a hunk, or of a change in it, in the new code. */
function rangeInB({ fromB, toB }: Pick<IHunk, 'fromB' | 'toB'>): IRange {
  return { from: fromB, to: toB };
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

/** Return, for each line, whether it is changed or at most `CONTEXT_LINES` from a changed line. */
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

/** Count the lines that were added and removed to turn the text `before` into the text `code`. */
export function countLineChanges(before: string, code: string): ILineCount {
  const splitLines = (text: string) => (text ? text.split(/\r\n?|\n/) : []);
  const oldLines = splitLines(before);
  const newLines = splitLines(code);
  return before && code
    ? countLines(changedLines(oldLines.join('\n'), newLines.join('\n')))
    : { added: newLines.length, removed: oldLines.length };
}
