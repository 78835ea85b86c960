/**
 * Keeps the text of an editor and the source of its cell equal if the source contains `\r`, as in
 * notebooks that were written on Windows.
 *
 * By default, CodeMirror converts all line breaks to `\n`. But JupyterLab's binding of an editor to
 * its cell (`ybinding`) passes changes on by their offsets. Each `\r` would shift the changes after
 * it, until the text and the source differ and CodeMirror throws an error.
 *
 * Invariants:
 * - The text is the source, character by character.
 * - Showing a cell never changes its source. A person's first edit in the editor, unless it is made
 *   with an input method, also converts the cell's line breaks to `\n`; one undo reverts both.
 * - A person sees lines as before: the `\r` of `\r\n` is hidden, and a single `\r` breaks the line.
 */
import {
  EditorState,
  Extension,
  MapMode,
  Prec,
  RangeSet,
  Transaction,
  TransactionSpec
} from '@codemirror/state';
import {
  Decoration,
  EditorView,
  MatchDecorator,
  ViewPlugin,
  WidgetType
} from '@codemirror/view';
import { ySyncAnnotation } from '@jupyterlab/codemirror';

import { normalizeLineBreaks } from '../../diff/lineBreaks';

/** A single `\r` isn't a line break of the editor. */
class LineBreak extends WidgetType {
  override eq(): boolean {
    return true;
  }

  override get lineBreaks(): number {
    return 1;
  }

  toDOM(): HTMLElement {
    const node = document.createElement('span');
    node.append(document.createElement('br'));
    return node;
  }
}

const hidden = Decoration.replace({});
const lineBreak = Decoration.replace({ widget: new LineBreak() });

const matcher = new MatchDecorator({
  regexp: /\r/g,
  decoration: (_, { state }, offset) =>
    isWindowsBreak(state, offset) ? hidden : lineBreak
});

/** Hides each `\r` of `\r\n`, and shows any other as a line break. */
const returns = ViewPlugin.define(
  view => ({
    decorations: matcher.createDeco(view),
    update(update) {
      this.decorations = matcher.updateDeco(update, this.decorations);
    }
  }),
  { decorations: plugin => plugin.decorations }
);

function isWindowsBreak({ doc }: EditorState, offset: number): boolean {
  return doc.sliceString(offset, offset + 2) === '\r\n';
}

function returnsIn({ doc }: EditorState): number[] {
  return [...doc.toString().matchAll(/\r/g)].map(({ index }) => index);
}

/** The keys that move the cursor or delete treat `\r\n` as one character. */
const windowsBreaks = EditorView.atomicRanges.of(({ state }) =>
  RangeSet.of(
    returnsIn(state)
      .filter(offset => isWindowsBreak(state, offset))
      .map(offset => hidden.range(offset, offset + 2))
  )
);

/** Convert the line breaks with each change in the editor. */
function convert(
  tr: Transaction
): TransactionSpec | readonly TransactionSpec[] {
  // Changes of the shared source have this annotation. The text follows them exactly.
  const isEdit = tr.docChanged && !tr.annotation(ySyncAnnotation);
  // Other changes would end the composition of an input method.
  if (!isEdit || tr.isUserEvent('input.type.compose')) {
    return tr;
  }
  const conversion = tr.startState.changes(
    returnsIn(tr.startState)
      .filter(at => tr.changes.mapPos(at, 1, MapMode.TrackAfter) !== null)
      .map(from => ({
        from,
        to: from + 1,
        insert: isWindowsBreak(tr.startState, from) ? '' : '\n'
      }))
  );
  const changes = conversion.map(tr.changes);
  return changes.empty ? tr : [tr, { changes, sequential: true }];
}

/** The offset inside `\r\n` looks like the one before it. */
function moveCursor(
  tr: Transaction
): TransactionSpec | readonly TransactionSpec[] {
  const { anchor, head } = tr.newSelection.main;
  const isBetween =
    tr.selection && tr.newDoc.sliceString(head - 1, head + 1) === '\r\n';
  const moved = head - 1;
  const selection = { anchor: anchor === head ? moved : anchor, head: moved };
  return isBetween ? [tr, { selection, sequential: true }] : tr;
}

/** Must be among the editor's first extensions. */
export const lineBreaks: Extension = [
  EditorState.lineSeparator.of('\n'),
  Prec.highest(returns),
  windowsBreaks,
  EditorView.clipboardInputFilter.of(normalizeLineBreaks),
  EditorState.transactionFilter.of(convert),
  EditorState.transactionFilter.of(moveCursor)
];
