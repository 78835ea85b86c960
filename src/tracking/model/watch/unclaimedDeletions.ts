/**
 * Deletions of cells in a shared notebook by another page or by a client that records nothing: for
 * pure deletions, Yjs doesn't name the client.
 *
 * Invariant: a deletion is recorded here only if it isn't in the record after some time, so that
 * the page that made it can record it first.
 */
import { writerOf } from '../../../records/contributor';
import { CellOperation, detectOperations } from '../lineage';
import type { IStep } from './mirror';

/** Time for the page that made the deletion to record it, in milliseconds. */
const DELAY_MS = 5000;

export interface IUnclaimedOptions {
  /** Whether a cell is in the notebook. */
  has(id: string): boolean;
  /** Whether the deletion of a cell is recorded; rejects if the record can't be read. */
  isRecorded(id: string): Promise<boolean>;
  /** Record deletions. */
  record(deleted: readonly CellOperation[], step: IStep): void;
}

export class UnclaimedDeletions {
  constructor(private readonly _options: IUnclaimedOptions) {}

  /** Check the deletions of a step later, and record those that no page has recorded. */
  add(step: IStep): void {
    const { alternative } = step.writer;
    const deleted = detectOperations(step.before, step.after, {
      recreated: step.recreated,
      existedBefore: () => true,
      originOf: () => null
    }).filter(({ kind }) => kind === 'delete');
    if (!alternative || !deleted.length) {
      return;
    }
    const writer = writerOf(alternative);
    const timer = window.setTimeout(() => {
      this._timers.delete(timer);
      void this._recordMissing(deleted, { ...step, writer });
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
    step: IStep
  ): Promise<void> {
    const { has, isRecorded } = this._options;
    const missing: CellOperation[] = [];
    for (const deletion of deleted) {
      const isDone =
        deletion.kind !== 'delete' ||
        has(deletion.id) ||
        (await isRecorded(deletion.id).catch(() => true));
      if (!isDone) {
        missing.push(deletion);
      }
    }
    if (missing.length && !this._isDisposed) {
      this._options.record(missing, step);
    }
  }

  private readonly _timers = new Set<number>();
  private _isDisposed = false;
}
