/**
 * Waits for a pause in the edits of remote clients that record nothing themselves, then reports the
 * edited cells, so that this page records the edits.
 *
 * Without this, another page in which the same cell is edited later would record the remote edit as
 * a part of its own edit.
 */

/** The length of the pause, in milliseconds. */
const PAUSE_MS = 300;

export class RemoteEdits {
  /** @param record Called with the id of each edited cell. */
  constructor(private readonly _record: (cellId: string) => void) {}

  /** Remember an edited cell, and start the pause again. */
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
