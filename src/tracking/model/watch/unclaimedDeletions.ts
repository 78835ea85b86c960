/**
 * Records the deletions of cells in a shared notebook that no page has recorded.
 *
 * If a transaction only deletes, Yjs doesn't name its client. It may be another page, which will
 * record the deletion, or a client that records nothing, such as an agent.
 *
 * Invariant: before this page records such a deletion, it waits for some time, and checks that no
 * other page has recorded it.
 */
import { createWriter } from '../../../records/contributor';
import { CellOperation, detectOperations } from '../lineage';
import type { ICellListChange } from './mirror';

/** The time for which this page waits for another page's record. */
const DELAY_MS = 800;

export interface IUnclaimedOptions {
  has(id: string): boolean;
  /** Rejects if the request fails. */
  isRecorded(id: string): Promise<boolean>;
  record(
    deletions: readonly CellOperation[],
    listChange: ICellListChange
  ): void;
}

export class UnclaimedDeletions {
  constructor(private readonly _options: IUnclaimedOptions) {}

  /** After the delay, record the deletions that no page has recorded by then. */
  add(listChange: ICellListChange): void {
    const { fallback } = listChange.writer;
    const deletions = detectOperations(listChange.before, listChange.after, {
      recreated: listChange.recreated,
      existedBefore: () => true,
      originOf: () => null
    }).filter(({ kind }) => kind === 'delete');
    // `fallback` is the contributor to record. Without one, this page needn't record anything.
    if (!fallback || !deletions.length) {
      return;
    }
    const writer = createWriter(fallback);
    const timer = window.setTimeout(() => {
      this._timers.delete(timer);
      void this._recordUnrecorded(deletions, { ...listChange, writer });
    }, DELAY_MS);
    this._timers.add(timer);
  }

  dispose(): void {
    this._isDisposed = true;
    this._timers.forEach(timer => clearTimeout(timer));
    this._timers.clear();
  }

  private async _recordUnrecorded(
    deletions: readonly CellOperation[],
    listChange: ICellListChange
  ): Promise<void> {
    const { has, isRecorded } = this._options;
    const unrecorded: CellOperation[] = [];
    for (const deletion of deletions) {
      // Done if the cell was restored, or a page has recorded the deletion. If the history can't be
      // read, assume so: nothing is recorded twice.
      const isDone =
        deletion.kind !== 'delete' ||
        has(deletion.id) ||
        (await isRecorded(deletion.id).catch(() => true));
      if (!isDone) {
        unrecorded.push(deletion);
      }
    }
    if (unrecorded.length && !this._isDisposed) {
      this._options.record(unrecorded, listChange);
    }
  }

  private readonly _timers = new Set<number>();
  private _isDisposed = false;
}
