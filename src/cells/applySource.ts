/**
 * Writes code into a cell, for Accept and Restore.
 *
 * Invariants:
 * - One undo reverts exactly one write. By default, the undo manager combines edits that are made
 *   within half a second. `stopCapturing` prevents it from combining a write with what a person
 *   typed just before or after the write.
 * - Only the changed parts of the text are replaced, so that cursors, including those of other
 *   people, stay where they are.
 * - If the code differs only in its line breaks, nothing is written.
 * - Afterwards, nothing is selected in the cell's editor: the next key would replace written code.
 */
import { diff } from '@codemirror/merge';
import type { YBaseCell } from '@jupyter/ydoc';
import type { Cell } from '@jupyterlab/cells';
import type { CodeEditor } from '@jupyterlab/codeeditor';

import { runAsOwnWrite } from './ownWrites';
import { DIFF_LIMITS } from '../diff/limits';
import { normalizeLineBreaks } from '../diff/lineBreaks';

export function applySource(cell: Cell, source: string): void {
  // Every shared cell is a `YBaseCell`, although the type of `sharedModel` doesn't say so.
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

/** Replace the code in the shared model of a cell. */
export function replaceSource(model: YBaseCell<never>, source: string): void {
  const previous = model.getSource();
  if (normalizeLineBreaks(previous) === normalizeLineBreaks(source)) {
    return;
  }
  model.undoManager?.stopCapturing();
  runAsOwnWrite(() => updateSource(model, source));
  model.undoManager?.stopCapturing();
}

/** Write the changed parts of a cell's source in one transaction, or in the current one. */
export function updateSource(model: YBaseCell<never>, source: string): void {
  const previous = model.getSource();
  model.transact(() => {
    // Apply the last change first, so that the offsets of the changes before it stay valid.
    for (const change of [...diff(previous, source, DIFF_LIMITS)].reverse()) {
      model.updateSource(
        change.fromA,
        change.toA,
        source.slice(change.fromB, change.toB)
      );
    }
  });
}
