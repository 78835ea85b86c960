/**
 * Collects the edits of remote clients that record nothing themselves. After a pause without such
 * edits, this module reports the edited cells, so that this page records the edits.
 *
 * The pause is short because a person may soon edit the same cell in another page. If the remote
 * edit isn't recorded before the person's edit, the other page records both edits as one.
 */

/** The time without a remote edit after which the edited cells are reported, in milliseconds. */
const PAUSE_MS = 300;

export class RemoteEdits {
  /** @param _record Called with the id of each edited cell, after a pause. */
  constructor(private readonly _record: (cellId: string) => void) {}

  /** Remember an edited cell, and restart the timer that reports the edited cells. */
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
