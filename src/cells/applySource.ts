/**
 * The one way in which AI Server writes code into a cell: Accept and Restore.
 *
 * What must hold (P35):
 * - It is exactly one undo step: one undo gives back the bytes of before, also where a
 *   person typed within half a second before or after (the undo manager joins what comes
 *   as close as that, unless told to stop).
 * - Text that stays is not touched, so that the cursors of others stay where they are.
 */
import { diff } from '@codemirror/merge';
import type { YBaseCell } from '@jupyter/ydoc';
import type { Cell } from '@jupyterlab/cells';

import { runAsOwnWrite } from './ownWrites';
import { DIFF_LIMITS } from '../diff/limits';

/** Make a cell's code equal to `source`, in one undo step. */
export function applySource(cell: Cell, source: string): void {
  // The interface of shared cells leaves the undo manager out; every one of them has it.
  replaceSource(cell.model.sharedModel as unknown as YBaseCell<never>, source);
}

/** `applySource`, for the shared model itself. */
export function replaceSource(model: YBaseCell<never>, source: string): void {
  const before = model.getSource();
  if (before === source) {
    return;
  }
  model.undoManager?.stopCapturing();
  runAsOwnWrite(() =>
    model.transact(() => {
      // From the end, so that the offsets of what is still to come stay true.
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
