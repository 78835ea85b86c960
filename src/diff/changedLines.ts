/**
 * A change as lines, one below the other: what stayed, what went, what came; and which words of
 * them. Pure; for code that is drawn without an editor.
 *
 * What must hold: the lines that stayed and came, put together, are the code; those that stayed
 * and went, the code before.
 */
import type { Text } from '@codemirror/state';

import { areAlike } from './similarity';
import { lineDiff } from './lineDiff';

export interface IRange {
  readonly from: number;
  readonly to: number;
}

export interface IChangedLine extends IRange {
  /** Offsets are in the code before for what went, else in the code. */
  readonly kind: 'same' | 'removed' | 'added';
  /** The words that changed, where marking them helps. */
  readonly words: readonly IRange[];
}

/** Lines that stayed around a change, which are shown with it. */
const MARGIN = 2;

export function changedLines(before: string, code: string): IChangedLine[] {
  const { a, b, stretches } = lineDiff(before, code);
  const withWords = areAlike(before, code);
  const lines: IChangedLine[] = [];
  const put = (
    kind: IChangedLine['kind'],
    doc: Text,
    from: number,
    to: number,
    words: readonly IRange[] = []
  ) => {
    for (let at = from; at < Math.min(to, doc.length);) {
      const line = doc.lineAt(at);
      const inside = words.filter(
        word => word.from < line.to && word.to > line.from
      );
      lines.push({
        kind,
        from: line.from,
        to: line.to,
        words: inside.map(word => ({
          from: Math.max(word.from, line.from),
          to: Math.min(word.to, line.to)
        }))
      });
      at = line.to + 1;
    }
  };
  let done = 0;
  for (const { fromA, fromB, toA, toB, changes } of stretches) {
    const words = withWords ? changes : [];
    put('same', b, done, fromB);
    put(
      'removed',
      a,
      fromA,
      toA,
      words.map(one => ({ from: one.fromA, to: one.toA }))
    );
    put(
      'added',
      b,
      fromB,
      toB,
      words.map(one => ({ from: one.fromB, to: one.toB }))
    );
    done = toB;
  }
  put('same', b, done, b.length);
  return lines;
}

/** The lines worth showing of a long cell: the changes, with a little of what is around them. */
export function aroundChanges(lines: readonly IChangedLine[]): boolean[] {
  const isShown = lines.map(() => false);
  lines.forEach(({ kind }, at) => {
    if (kind !== 'same') {
      isShown.fill(true, Math.max(0, at - MARGIN), at + MARGIN + 1);
    }
  });
  return isShown;
}
