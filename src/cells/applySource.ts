/**
 * Writes code into a cell, for Accept and Restore.
 *
 * Invariants:
 * - A write can be undone with exactly one undo, which restores the exact previous text, even if a
 *   person typed within half a second before or after the write. (The undo manager would merge such
 *   edits, so it is told to begin a new entry.)
 * - Unchanged text isn't touched, so that other people's cursors stay where they are.
 */
import { diff } from '@codemirror/merge';
import type { YBaseCell } from '@jupyter/ydoc';
import type { Cell } from '@jupyterlab/cells';

import { runAsOwnWrite } from './ownWrites';
import { DIFF_LIMITS } from '../diff/limits';

/** Make a cell's code equal to `source`, in a write that one undo reverts. */
export function applySource(cell: Cell, source: string): void {
  // Every shared cell has an undo manager, although its TypeScript interface doesn't say so.
  replaceSource(cell.model.sharedModel as unknown as YBaseCell<never>, source);
}

/** Like `applySource`, for a shared model. */
export function replaceSource(model: YBaseCell<never>, source: string): void {
  const before = model.getSource();
  if (before === source) {
    return;
  }
  model.undoManager?.stopCapturing();
  runAsOwnWrite(() =>
    model.transact(() => {
      // Apply the changes from the last to the first, so that their offsets stay valid.
      for (const change of [...diff(before, source, DIFF_LIMITS)].reverse()) {
        model.updateSource(
          change.fromA,
          change.toA,
          source.slice(change.fromB, change.toB)
        );
      }
    })
  );
  model.undoManager?.stopCapturing();
}
