/**
 * Another text, with other extensions, in an editor that is there.
 *
 * With every editor that is made, and with every state that one is given, CodeMirror writes the
 * styles of all editors into the page once more (style-mod up to 4.1.2), and the browser computes
 * those of all cells anew: one second and more in a notebook of a thousand. Changed in its place,
 * an editor writes none as long as its extensions bring the same styles in the same order.
 */
import { Compartment, Extension, Transaction } from '@codemirror/state';
import type { EditorView } from '@codemirror/view';

/** Holds all extensions of an editor that is to be changed by `exchanged`. */
export const all = new Compartment();

/**
 * The transactions that put another text with other extensions in the place of what `view` shows.
 *
 * They are two: fields that begin anew with the new extensions see the new text.
 */
export function exchanged(
  view: EditorView,
  doc: string,
  extensions: Extension
): readonly Transaction[] {
  const text = view.state.update({
    changes: { from: 0, to: view.state.doc.length, insert: doc },
    selection: { anchor: 0 }
  });
  const effects = all.reconfigure(extensions);
  return [text, text.state.update({ effects })];
}
