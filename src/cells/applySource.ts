/**
 * Writes code into a cell, for Accept and Restore.
 *
 * Invariants:
 * - One undo reverts exactly one write. Without `stopCapturing`, the undo manager would combine it
 *   with what a person typed within half a second.
 * - Only the changed parts are replaced, so that cursors, also of other people, stay where they are.
 * - If only the line breaks differ, nothing is written.
 * - Afterwards, nothing is selected in the editor: the next key would replace written code.
 */
import { diff } from '@codemirror/merge';
import type { YBaseCell } from '@jupyter/ydoc';
import type { Cell } from '@jupyterlab/cells';
import type { CodeEditor } from '@jupyterlab/codeeditor';

import { runAsOwnWrite } from './ownWrites';
import { DIFF_LIMITS } from '../diff/limits';
import { normalizeLineBreaks } from '../diff/lineBreaks';

export function applySource(cell: Cell, source: string): void {
  // `sharedModel` is a `YBaseCell`, although its type doesn't say so.
  replaceSource(cell.model.sharedModel as unknown as YBaseCell<never>, source);
  const { editor } = cell;
  const selection = editor?.getSelection();
  if (selection && !isSame(selection.start, selection.end)) {
    editor!.setCursorPosition(selection.end, { scroll: false });
  }
}

function isSame(a: CodeEditor.IPosition, b: CodeEditor.IPosition): boolean {
  return a.line === b.line && a.column === b.column;
}

export function replaceSource(model: YBaseCell<never>, source: string): void {
  const previous = model.getSource();
  if (normalizeLineBreaks(previous) === normalizeLineBreaks(source)) {
    return;
  }
  model.undoManager?.stopCapturing();
  runAsOwnWrite(() => updateSource(model, source));
  model.undoManager?.stopCapturing();
}

/** Write the changed parts of a source in one transaction, or in the current one. */
export function updateSource(model: YBaseCell<never>, source: string): void {
  const previous = model.getSource();
  model.transact(() => {
    // From the end, so that the offsets of earlier changes stay valid.
    for (const change of [...diff(previous, source, DIFF_LIMITS)].reverse()) {
      model.updateSource(
        change.fromA,
        change.toA,
        source.slice(change.fromB, change.toB)
      );
    }
  });
}
