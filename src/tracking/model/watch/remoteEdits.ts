/**
 * Collects the edits of remote clients that record nothing themselves. After a pause without such
 * edits, this module reports the edited cells, so that this page records the edits.
 *
 * Without this, a later edit of the same cell in another page would be recorded together with the
 * remote edit, as one edit.
 */

/** The time without a remote edit after which the edited cells are reported, in milliseconds. */
const PAUSE_MS = 300;

export class RemoteEdits {
  /** @param _record Called with the id of each edited cell, after a pause. */
  constructor(private readonly _record: (cellId: string) => void) {}

  /** Remember an edited cell, and restart the wait for a pause. */
  add(cellId: string): void {
    this._cellIds.add(cellId);
    clearTimeout(this._timer);
    this._timer = window.setTimeout(() => {
      const cellIds = [...this._cellIds];
      this._cellIds.clear();
      cellIds.forEach(this._record);
    }, PAUSE_MS);
  }

  dispose(): void {
    clearTimeout(this._timer);
  }

  private readonly _cellIds = new Set<string>();
  private _timer = 0;
}
