/**
 * An editor extension that hides the empty last line of a text.
 *
 * When a line is added at the end of a text, the old last line gets a line break, so a diff would
 * mark the old last line as changed, too. To avoid this, a line break is added to both texts.
 * Each text then ends with an empty line, which this extension hides.
 */
import { Decoration, EditorView } from '@codemirror/view';

export const hiddenEnd = EditorView.decorations.of(view =>
  Decoration.set(
    Decoration.line({ class: 'jp-AIServer-HiddenEnd' }).range(
      view.state.doc.length
    )
  )
);
