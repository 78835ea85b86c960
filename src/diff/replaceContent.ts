/**
 * Replaces the text and the extensions of an existing editor.
 *
 * Creating an editor is slow: CodeMirror (style-mod up to 4.1.2) writes the styles of all editors
 * into the page again, and recomputing those of a thousand cells takes more than a second. An
 * existing editor writes none if its new extensions have the same styles in the same order.
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

/** Contains the extensions that `replaceContent` replaces. */
export const contentExtensions = new Compartment();

export function textChanges(before: string, after: string): ChangeSpec[] {
  return diff(before, after, DIFF_LIMITS).map(change => ({
    from: change.fromA,
    to: change.toA,
    insert: after.slice(change.fromB, change.toB)
  }));
}

/**
 * Return the transactions that replace the text of `view`, and then its extensions, whose state
 * fields start from the new text. Only the ranges that differ are replaced, so that CodeMirror
 * preserves the scroll position.
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
