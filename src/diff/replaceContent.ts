/**
 * Replaces the text and the extensions of an existing editor. In a large notebook, this is much
 * faster than creating another editor.
 *
 * Creating an editor is slow: for each new editor and each new editor state, CodeMirror (style-mod
 * up to 4.1.2) writes the styles of all editors into the page again. The browser then recomputes
 * the styles of all cells, which takes more than one second with a thousand cells. When an existing
 * editor gets new extensions, no styles are written if the new extensions have the same styles in
 * the same order as the old ones.
 */
import { diff } from '@codemirror/merge';
import {
  ChangeSpec,
  Compartment,
  Extension,
  Transaction
} from '@codemirror/state';
import type { EditorView } from '@codemirror/view';

import { DIFF_LIMITS } from './limits';
import { normalizeLineBreaks } from './lineBreaks';

/** The CodeMirror compartment that contains the extensions that `replaceContent` replaces. */
export const contentExtensions = new Compartment();

export function textChanges(before: string, after: string): ChangeSpec[] {
  return diff(before, after, DIFF_LIMITS).map(change => ({
    from: change.fromA,
    to: change.toA,
    insert: after.slice(change.fromB, change.toB)
  }));
}

/**
 * Return the transactions that replace the text and the extensions of `view`. The caller dispatches
 * them.
 *
 * The first transaction replaces the text, and the second one the extensions. In this order, the
 * state fields of the new extensions are initialized with the new text. Only those ranges of the
 * text that differ are replaced, so that CodeMirror preserves the scroll position.
 */
export function replaceContent(
  view: EditorView,
  doc: string,
  extensions: Extension
): readonly Transaction[] {
  const before = view.state.doc.toString();
  const after = normalizeLineBreaks(doc);
  const changes = textChanges(before, after);
  const textUpdate = view.state.update({ changes, selection: { anchor: 0 } });
  const effects = contentExtensions.reconfigure(extensions);
  return [textUpdate, textUpdate.state.update({ effects })];
}
