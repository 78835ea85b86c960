/**
 * Replace the text and the extensions of an existing editor, because creating another editor is
 * slow in a large notebook.
 *
 * The reason is that CodeMirror (style-mod up to 4.1.2) writes the styles of all editors into the
 * page again for each new editor and each new editor state. The browser then recomputes the styles
 * of all cells, which takes more than one second with a thousand cells. A change of an existing
 * editor writes no styles as long as its extensions have the same styles in the same order.
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

/** The compartment that must contain the extensions of an editor that `replaceContent` changes. */
export const contentExtensions = new Compartment();

/** Return the changes that turn one text of an editor into another text. */
export function textChanges(before: string, after: string): ChangeSpec[] {
  return diff(before, after, DIFF_LIMITS).map(change => ({
    from: change.fromA,
    to: change.toA,
    insert: after.slice(change.fromB, change.toB)
  }));
}

/**
 * Return the transactions that replace the text and the extensions of `view`.
 *
 * The first transaction replaces the text and the second the extensions, so that state fields of
 * the new extensions are initialized with the new text. Only the ranges of the text that differ are
 * replaced, so that CodeMirror preserves the scroll position.
 */
export function replaceContent(
  view: EditorView,
  doc: string,
  extensions: Extension
): readonly Transaction[] {
  const before = view.state.doc.toString();
  const after = doc.replace(/\r\n?/g, '\n');
  const changes = textChanges(before, after);
  const text = view.state.update({ changes, selection: { anchor: 0 } });
  const effects = contentExtensions.reconfigure(extensions);
  return [text, text.state.update({ effects })];
}
