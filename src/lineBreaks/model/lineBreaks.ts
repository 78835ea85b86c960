/**
 * Keeps the text of an editor and the source of its cell equal if the source contains `\r`, as in
 * notebooks that were written on Windows.
 *
 * By default, CodeMirror converts all line breaks to `\n`. But JupyterLab's binding of an editor to
 * its cell (`ybinding`) passes changes on by their offsets. Without this extension, each `\r` would
 * shift the changes after it, until the text and the source differ and CodeMirror throws an error.
 *
 * Invariants:
 * - The text is the source, character by character.
 * - Showing a cell never changes its source. A person's first edit in the editor, unless it is made
 *   with an input method, also converts the line breaks of the cell to `\n`; one undo reverts both.
 * - A person sees lines as before: the `\r` of `\r\n` is hidden, and a single `\r` breaks the line.
 */
import {
  ChangeSpec,
  EditorSelection,
  EditorState,
  Extension,
  Prec,
  Range,
  StateField,
  Text,
  Transaction,
  TransactionSpec
} from '@codemirror/state';
import {
  Decoration,
  DecorationSet,
  EditorView,
  WidgetType
} from '@codemirror/view';
import { ySyncAnnotation } from '@jupyterlab/codemirror';

/** Displays a single `\r`, which isn't a line break of the editor, as one. */
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

/** The decorations of all `\r` in the text. */
const returns = StateField.define<DecorationSet>({
  create: ({ doc }) => decorate(doc),
  update: (decorations, tr) =>
    tr.docChanged && (decorations.size || insertsReturn(tr))
      ? decorate(tr.newDoc)
      : decorations,
  provide: field => EditorView.decorations.from(field)
});

function decorate(doc: Text): DecorationSet {
  const ranges: Range<Decoration>[] = [];
  const text = doc.toString();
  for (const offset of returnsIn(text)) {
    const decoration = text[offset + 1] === '\n' ? hidden : lineBreak;
    ranges.push(decoration.range(offset, offset + 1));
  }
  return Decoration.set(ranges);
}

function* returnsIn(text: string): Generator<number> {
  for (let i = text.indexOf('\r'); i >= 0; i = text.indexOf('\r', i + 1)) {
    yield i;
  }
}

function insertsReturn({ changes }: Transaction): boolean {
  let isFound = false;
  changes.iterChanges((_fromA, _toA, _fromB, _toB, inserted) => {
    isFound ||= inserted.toString().includes('\r');
  });
  return isFound;
}

/** Convert the line breaks of the text, and of inserted text, with each change in the editor. */
function convert(
  tr: Transaction
): TransactionSpec | readonly TransactionSpec[] {
  // Changes of the shared source have this annotation. The text follows them exactly.
  const isEdit = tr.docChanged && !tr.annotation(ySyncAnnotation);
  // Other changes would end the composition of an input method.
  const isComposing = tr.isUserEvent('input.type.compose');
  const hasReturns = tr.startState.field(returns).size > 0;
  if (!isEdit || isComposing || !(hasReturns || insertsReturn(tr))) {
    return tr;
  }
  const changes: ChangeSpec[] = [];
  /** Convert the `\r` in a part of a text. `shift` is the part's offset in the new text, less `from`. */
  const convertPart = (text: Text, from: number, to: number, shift: number) => {
    // Also read the next character, because it may be the `\n` that follows a `\r`. If a person
    // deletes the `\n`, the two are still one line break.
    const part = text.sliceString(from, to + 1);
    for (const index of returnsIn(part)) {
      const offset = from + index;
      if (offset < to) {
        const insert = part[index + 1] === '\n' ? '' : '\n';
        changes.push({ from: offset + shift, to: offset + shift + 1, insert });
      }
    }
  };
  const before = tr.startState.doc;
  const isDeletion = tr.isUserEvent('delete');
  tr.changes.iterGaps((fromA, fromB, length) => {
    convertPart(before, fromA, fromA + length, fromB - fromA);
    // The key Delete has deleted only the `\r` of a line break.
    if (isDeletion && before.sliceString(fromA - 1, fromA + 1) === '\r\n') {
      changes.push({ from: fromB, to: fromB + 1 });
    }
  });
  tr.changes.iterChanges((_fromA, _toA, fromB, _toB, inserted) =>
    convertPart(inserted, 0, inserted.length, fromB)
  );
  return [tr, { changes, sequential: true }];
}

/** Keep the cursor out of `\r\n`: the position after the hidden `\r` looks like the one before it. */
function moveCursor(
  tr: Transaction
): TransactionSpec | readonly TransactionSpec[] {
  if (!tr.selection || !tr.startState.field(returns).size) {
    return tr;
  }
  const previous = tr.startState.selection.main.head;
  const moved = (offset: number) => {
    const isBetween =
      offset > 0 && tr.newDoc.sliceString(offset - 1, offset + 1) === '\r\n';
    // The key for the next character leads over the whole line break.
    const isNext = !tr.docChanged && offset === previous + 1;
    return isBetween ? (isNext ? offset + 1 : offset - 1) : offset;
  };
  const ranges = tr.selection.ranges.map(({ anchor, head }) =>
    EditorSelection.range(moved(anchor), moved(head))
  );
  const selection = EditorSelection.create(ranges, tr.selection.mainIndex);
  return selection.eq(tr.selection)
    ? tr
    : [tr, { selection, sequential: true }];
}

/** The extension of a cell's editor. It must be among the editor's first extensions. */
export const lineBreaks: Extension = [
  EditorState.lineSeparator.of('\n'),
  Prec.highest(returns),
  EditorState.transactionFilter.of(convert),
  EditorState.transactionFilter.of(moveCursor)
];
