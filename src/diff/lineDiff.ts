/**
 * What changed between two texts, in whole lines.
 *
 * What must hold: with these stretches exchanged, one text is the other. `Chunk.build` of
 * CodeMirror draws the lines in the same way, but loses an empty line that went or came beside
 * another one.
 */
import { Change, presentableDiff } from '@codemirror/merge';
import { Text } from '@codemirror/state';

import { DIFF_LIMITS } from './limits';

/** A stretch of whole lines in the text before (A) and after (B); empty where from is to. */
export interface IStretch {
  readonly fromA: number;
  /** One past the line break of its last line. */
  readonly toA: number;
  readonly fromB: number;
  readonly toB: number;
  /** What changed within it. */
  readonly changes: readonly Change[];
}

export interface ILineDiff {
  readonly a: Text;
  readonly b: Text;
  readonly stretches: readonly IStretch[];
}

export function lineDiff(before: string, code: string): ILineDiff {
  // Ended by a line break each, or a line put after the last would change that one too.
  const a = Text.of([...before.split('\n'), '']);
  const b = Text.of([...code.split('\n'), '']);
  const stretches: IStretch[] = [];
  for (const change of presentableDiff(`${a}`, `${b}`, DIFF_LIMITS)) {
    const next = wholeLines(a, b, change);
    const last = stretches[stretches.length - 1];
    // What has no line or an empty one between it is one stretch.
    if (last && (next.fromA <= last.toA + 1 || next.fromB <= last.toB + 1)) {
      const { fromA, fromB, changes } = last;
      const { toA, toB } = next;
      const all = [...changes, change];
      stretches[stretches.length - 1] = {
        fromA,
        toA,
        fromB,
        toB,
        changes: all
      };
    } else {
      stretches.push(next);
    }
  }
  return { a, b, stretches };
}

function wholeLines(a: Text, b: Text, change: Change): IStretch {
  const [startA, startB] = [a.lineAt(change.fromA), b.lineAt(change.fromB)];
  const [endA, endB] = [a.lineAt(change.toA), b.lineAt(change.toB)];
  const isAtStart = endA.from === change.toA && endB.from === change.toB;
  const toA = isAtStart ? change.toA : endA.to + 1;
  const toB = isAtStart ? change.toB : endB.to + 1;
  // Behind a line of both, it begins with the next one, if it reaches that far.
  const isAfter =
    startA.to === change.fromA &&
    startB.to === change.fromB &&
    startA.to < toA &&
    startB.to < toB;
  return {
    fromA: isAfter ? startA.to + 1 : startA.from,
    toA,
    fromB: isAfter ? startB.to + 1 : startB.from,
    toB,
    changes: [change]
  };
}
