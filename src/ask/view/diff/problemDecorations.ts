/** Underlines the problems of a suggestion's code in the diff. */
import { StateEffect, StateField } from '@codemirror/state';
import { Decoration, DecorationSet, EditorView } from '@codemirror/view';

import type { IProblem } from '../../../kernel/check';
import { offsetOf } from '../../model/problems';

/** A part of the code: the offsets of its start and its end. */
export interface IRange {
  readonly from: number;
  readonly to: number;
}

export function problemRanges(
  code: string,
  problems: readonly IProblem[]
): IRange[] {
  return problems
    .map(({ line, column, endLine, endColumn }) => ({
      from: offsetOf(code, line, column),
      to: offsetOf(code, endLine, endColumn)
    }))
    .filter(({ from, to }) => from < to);
}

/** Sets the parts of the code that are underlined. */
export const setProblems = StateEffect.define<IRange[]>();

const mark = Decoration.mark({ class: 'jp-AIServer-Diff-problem' });

export const problemDecorations = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (marks, tr) => {
    const effect = tr.effects.find(item => item.is(setProblems));
    if (!effect) {
      return marks.map(tr.changes);
    }
    const ranges = effect.value as IRange[];
    return Decoration.set(
      ranges.map(({ from, to }) => mark.range(from, to)),
      true
    );
  },
  provide: field => EditorView.decorations.from(field)
});
