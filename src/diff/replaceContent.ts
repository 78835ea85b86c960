/**
 * Another text, with other extensions, in an editor that is there.
 *
 * With every editor that is made, and with every state that one is given, CodeMirror writes the
 * styles of all editors into the page once more (style-mod up to 4.1.2), and the browser computes
 * those of all cells anew: one second and more in a notebook of a thousand. Changed in its place,
 * an editor writes none as long as its extensions bring the same styles in the same order.
 */
import { diff } from '@codemirror/merge';
import { Compartment, Extension, Transaction } from '@codemirror/state';
import type { EditorView } from '@codemirror/view';

import { DIFF_LIMITS } from './limits';

/** Holds all extensions of an editor that is to be changed by `exchanged`. */
export const all = new Compartment();

/**
 * The transactions that put another text with other extensions in the place of what `view` shows.
 *
 * They are two: fields that begin anew with the new extensions see the new text. Only what differs
 * is replaced: CodeMirror scrolls to where the line that was on top has gone.
 */
export function exchanged(
  view: EditorView,
  doc: string,
  extensions: Extension
): readonly Transaction[] {
  const before = view.state.doc.toString();
  const after = doc.replace(/\r\n?/g, '\n');
  const changes = diff(before, after, DIFF_LIMITS).map(change => ({
    from: change.fromA,
    to: change.toA,
    insert: after.slice(change.fromB, change.toB)
  }));
  const text = view.state.update({ changes, selection: { anchor: 0 } });
  const effects = all.reconfigure(extensions);
  return [text, text.state.update({ effects })];
}
