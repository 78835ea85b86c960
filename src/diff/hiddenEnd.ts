/**
 * An editor extension that hides the empty last line of a text.
 *
 * If a line is added at the end of a text, the line before it gets a line break, and a diff would
 * mark that line as changed, too. To avoid this, a line break is added to both texts of a diff, and
 * this extension hides the empty line after it.
 */
import { Decoration, EditorView } from '@codemirror/view';

export const hiddenEnd = EditorView.decorations.of(view =>
  Decoration.set(
    Decoration.line({ class: 'jp-AIServer-HiddenEnd' }).range(
      view.state.doc.length
    )
  )
);
