/** Decorations of the diff: underlined problems, the selected change, and a partial answer's end. */
import {
  type Range,
  StateEffect,
  type StateEffectType,
  StateField,
  type Text
} from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  EditorView,
  WidgetType
} from '@codemirror/view';

import type { IProblem } from '../../../kernel/check';
import { offsetOf } from '../../model/problems';

/** Offsets of the suggestion's code. */
export interface IRange {
  readonly from: number;
  readonly to: number;
}

export const setProblems = StateEffect.define<IRange[]>();
export const setSelected = StateEffect.define<IRange | null>();
/** Sets the offset at which the partial answer ends; null means that the answer is complete. */
export const setWrittenEnd = StateEffect.define<number | null>();

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

class Caret extends WidgetType {
  override eq(): boolean {
    return true;
  }

  toDOM(): HTMLElement {
    const node = document.createElement('span');
    node.className = 'jp-AIServer-Diff-caret';
    node.setAttribute('aria-hidden', 'true');
    return node;
  }
}

const problem = Decoration.mark({ class: 'jp-AIServer-Diff-problem' });
const selectedLine = Decoration.line({ class: 'jp-AIServer-Diff-selected' });
const dimmedLine = Decoration.line({ class: 'jp-AIServer-Diff-pending' });
const caret = Decoration.widget({ widget: new Caret(), side: 1 });

function decorateLines(
  doc: Text,
  line: Decoration,
  first: number,
  last: number
): Range<Decoration>[] {
  const count = Math.max(0, last - first + 1);
  return Array.from({ length: count }, (_, index) =>
    line.range(doc.line(first + index).from)
  );
}

/** Create an extension that draws what the last effect of a type has set. */
function decorated<T>(
  type: StateEffectType<T>,
  decorate: (value: T, doc: Text) => Range<Decoration>[]
): StateField<DecorationSet> {
  return StateField.define<DecorationSet>({
    create: () => Decoration.none,
    update: (decorations, tr) => {
      const effect = tr.effects.find(candidate => candidate.is(type));
      return effect
        ? Decoration.set(decorate(effect.value as T, tr.state.doc), true)
        : decorations.map(tr.changes);
    },
    provide: field => EditorView.decorations.from(field)
  });
}

export const diffDecorations = [
  decorated(setProblems, ranges =>
    ranges.map(({ from, to }) => problem.range(from, to))
  ),
  decorated(setSelected, (range, doc) => {
    const lineAt = (offset: number) =>
      doc.lineAt(Math.min(offset, doc.length)).number;
    return range
      ? decorateLines(doc, selectedLine, lineAt(range.from), lineAt(range.to))
      : [];
  }),
  // The lines of old code after a partial answer are dimmed.
  decorated(setWrittenEnd, (writtenEnd, doc) => {
    if (writtenEnd === null) {
      return [];
    }
    const offset = Math.min(writtenEnd, doc.length);
    const { number } = doc.lineAt(offset);
    return [
      caret.range(offset),
      ...decorateLines(doc, dimmedLine, number + 1, doc.lines)
    ];
  })
];
