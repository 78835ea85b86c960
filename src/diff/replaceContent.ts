/**
 * Replaces the text and the extensions of an existing editor.
 *
 * For each new editor and each new state CodeMirror writes the styles of all editors into the page
 * again (style-mod up to 4.1.2), and the browser recomputes the styles of all cells: more than one
 * second in a notebook with a thousand cells. An editor that is changed in place writes no styles as
 * long as its extensions have the same styles in the same order.
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

/** Contains all extensions of an editor that `replaceContent` changes. */
export const contentExtensions = new Compartment();

/** The changes that turn one text of an editor into another. */
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
 * There are two, so that fields of the new extensions are initialized with the new text. Only
 * differing ranges are replaced, so that CodeMirror preserves the scroll position.
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
