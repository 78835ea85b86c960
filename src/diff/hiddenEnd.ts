/**
 * An end of text that is not seen.
 *
 * A line put after the last one would show that one as changed too, for it gets a line
 * break. So both sides of a difference are ended by a line break, and the empty line after
 * it takes no room.
 */
import { Decoration, EditorView } from '@codemirror/view';

export const hiddenEnd = EditorView.decorations.of(view =>
  Decoration.set(
    Decoration.line({ class: 'jp-AIServer-HiddenEnd' }).range(
      view.state.doc.length
    )
  )
);
