/**
 * A diff as a list of unchanged, removed and added lines, with the changed ranges in them. Pure; for
 * code that is rendered without an editor.
 *
 * Invariants: the unchanged and added lines form the new code, the unchanged and removed lines the
 * old code.
 */
import { lineAt, lineDiff } from './lineDiff';
import { areSimilar } from './similarity';

export interface IRange {
  readonly from: number;
  readonly to: number;
}

export interface IChangedLine extends IRange {
  /** The offsets of removed lines are in the old code, all others in the new code. */
  readonly kind: 'same' | 'removed' | 'added';
  /** The changed ranges, if marking them helps. */
  readonly ranges: readonly IRange[];
}

/** The number of unchanged lines that are shown around a change. */
const CONTEXT_LINES = 2;

export function changedLines(before: string, code: string): IChangedLine[] {
  const { a, b, hunks } = lineDiff(before, code);
  const markRanges = areSimilar(before, code);
  const lines: IChangedLine[] = [];
  const addLines = (
    kind: IChangedLine['kind'],
    text: string,
    from: number,
    to: number,
    ranges: readonly IRange[] = []
  ) => {
    for (let at = from; at < Math.min(to, text.length);) {
      const line = lineAt(text, at);
      const inLine = ranges.filter(
        range => range.from < line.to && range.to > line.from
      );
      lines.push({
        kind,
        from: line.from,
        to: line.to,
        ranges: inLine.map(range => ({
          from: Math.max(range.from, line.from),
          to: Math.min(range.to, line.to)
        }))
      });
      at = line.to + 1;
    }
  };
  let done = 0;
  for (const { fromA, fromB, toA, toB, changes } of hunks) {
    const marked = markRanges ? changes : [];
    addLines('same', b, done, fromB);
    addLines(
      'removed',
      a,
      fromA,
      toA,
      marked.map(change => ({ from: change.fromA, to: change.toA }))
    );
    addLines(
      'added',
      b,
      fromB,
      toB,
      marked.map(change => ({ from: change.fromB, to: change.toB }))
    );
    done = toB;
  }
  addLines('same', b, done, b.length);
  return lines;
}

/** The number of lines added and removed. */
export interface ILineCount {
  readonly added: number;
  readonly removed: number;
}

export function countLines(lines: readonly IChangedLine[]): ILineCount {
  const count = (countedKind: IChangedLine['kind']) =>
    lines.filter(({ kind }) => kind === countedKind).length;
  return { added: count('added'), removed: count('removed') };
}

/** Whether to show each line of a long cell: only changes and the lines around them. */
export function aroundChanges(lines: readonly IChangedLine[]): boolean[] {
  const isShown = lines.map(() => false);
  lines.forEach(({ kind }, at) => {
    if (kind !== 'same') {
      isShown.fill(
        true,
        Math.max(0, at - CONTEXT_LINES),
        at + CONTEXT_LINES + 1
      );
    }
  });
  return isShown;
}
