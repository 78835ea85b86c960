/**
 * Hides the empty last line of a text. Without a line break at the end of both texts, a diff would
 * mark the old last line as changed if a line is added below it.
 */
import { Decoration, EditorView } from '@codemirror/view';

export const hiddenEnd = EditorView.decorations.of(view =>
  Decoration.set(
    Decoration.line({ class: 'jp-AIServer-HiddenEnd' }).range(
      view.state.doc.length
    )
  )
);
