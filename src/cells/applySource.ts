/**
 * Writes code into a cell, for Accept and Restore.
 *
 * Invariants (P35):
 * - A write is exactly one undo step: undo restores the previous bytes, even if a person typed
 *   within half a second before or after. (The undo manager merges such edits unless it is told to
 *   stop capturing.)
 * - Unchanged text isn't touched, so that other people's cursors stay where they are.
 */
import { diff } from '@codemirror/merge';
import type { YBaseCell } from '@jupyter/ydoc';
import type { Cell } from '@jupyterlab/cells';

import { runAsOwnWrite } from './ownWrites';
import { DIFF_LIMITS } from '../diff/limits';

/** Make a cell's code equal to `source`, in one undo step. */
export function applySource(cell: Cell, source: string): void {
  // Every shared cell has an undo manager, although the interface lacks it.
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
      // From the end, so that the offsets of the remaining changes stay valid.
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
