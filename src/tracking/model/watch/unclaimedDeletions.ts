/**
 * Records deletions of cells in a shared notebook that no page has recorded.
 *
 * Yjs doesn't name the client that made a transaction which only deletes. So the client may be
 * another page, which records the deletion, or a client that records nothing, such as an agent.
 *
 * Invariant: this page records such a deletion only if it still isn't recorded after a delay, which
 * gives the page that may have made it time to record it.
 */
import { createWriter } from '../../../records/contributor';
import { CellOperation, detectOperations } from '../lineage';
import type { ICellListChange } from './mirror';

/** Time that another page has to record a deletion, in milliseconds. */
const DELAY_MS = 5000;

export interface IUnclaimedOptions {
  /** Whether a cell is in the notebook. */
  has(id: string): boolean;
  /** Whether the deletion of a cell is recorded; rejects if the record can't be read. */
  isRecorded(id: string): Promise<boolean>;
  /** Record deletions. */
  record(deleted: readonly CellOperation[], listChange: ICellListChange): void;
}

export class UnclaimedDeletions {
  constructor(private readonly _options: IUnclaimedOptions) {}

  /** Check the deletions of a change after the delay; record the ones that no page has recorded. */
  add(listChange: ICellListChange): void {
    const { fallback } = listChange.writer;
    const deleted = detectOperations(listChange.before, listChange.after, {
      recreated: listChange.recreated,
      existedBefore: () => true,
      originOf: () => null
    }).filter(({ kind }) => kind === 'delete');
    if (!fallback || !deleted.length) {
      return;
    }
    const writer = createWriter(fallback);
    const timer = window.setTimeout(() => {
      this._timers.delete(timer);
      void this._recordMissing(deleted, { ...listChange, writer });
    }, DELAY_MS);
    this._timers.add(timer);
  }

  dispose(): void {
    this._isDisposed = true;
    this._timers.forEach(timer => clearTimeout(timer));
    this._timers.clear();
  }

  private async _recordMissing(
    deleted: readonly CellOperation[],
    listChange: ICellListChange
  ): Promise<void> {
    const { has, isRecorded } = this._options;
    const missing: CellOperation[] = [];
    for (const deletion of deleted) {
      // An unreadable history counts as recorded: a retry could record the deletion twice.
      const isHandled =
        deletion.kind !== 'delete' ||
        has(deletion.id) ||
        (await isRecorded(deletion.id).catch(() => true));
      if (!isHandled) {
        missing.push(deletion);
      }
    }
    if (missing.length && !this._isDisposed) {
      this._options.record(missing, listChange);
    }
  }

  private readonly _timers = new Set<number>();
  private _isDisposed = false;
}
