/**
 * Hides the empty last line of a text.
 *
 * A line added after the last one would mark that one as changed too, because it gets a line break.
 * So both sides of a diff end with a line break, and the empty line after it has no height.
 */
import { Decoration, EditorView } from '@codemirror/view';

export const hiddenEnd = EditorView.decorations.of(view =>
  Decoration.set(
    Decoration.line({ class: 'jp-AIServer-HiddenEnd' }).range(
      view.state.doc.length
    )
  )
);
