/**
 * Collects the edits of remote clients that record nothing themselves, and reports the edited cells
 * after a pause, so that this page records the edits.
 *
 * The pause is short because a person may soon edit the same cell in another page, which would
 * record both edits as one.
 */

const PAUSE_MS = 300;

export class RemoteEdits {
  constructor(private readonly _record: (cellId: string) => void) {}

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
