/**
 * Deletions of cells in a shared notebook that another page may have made, or a client that
 * records nothing: of what only takes away, Yjs doesn't name the client.
 *
 * Invariant: a deletion is recorded here only if the record doesn't say, some time after it, that
 * the cell is gone. So the page that made it records it first.
 */
import type { IDisposable } from '@lumino/disposable';

import { writerOf } from '../../../records/contributor';
import { Happening, happenings } from '../lineage';
import type { IStep } from './mirror';

/** The time that the page has which made it, in milliseconds. */
const PATIENCE_MS = 5000;

export interface IUnclaimedOptions {
  /** Whether a cell is in the notebook. */
  has(id: string): boolean;
  /** Whether the record says that a cell is gone; rejects where that can't be read. */
  isRecorded(id: string): Promise<boolean>;
  /** Record deletions. */
  record(deleted: readonly Happening[], step: IStep): void;
}

export class UnclaimedDeletions implements IDisposable {
  constructor(private readonly _options: IUnclaimedOptions) {}

  /** Cells went; the step's writer says what to record if no page does. */
  add(step: IStep): void {
    const { alternative } = step.writer;
    const deleted = happenings(step.before, step.after, {
      remade: step.remade,
      wasThere: () => true,
      originOf: () => null
    }).filter(({ kind }) => kind === 'delete');
    if (!alternative || !deleted.length) {
      return;
    }
    const writer = writerOf(alternative);
    const timer = window.setTimeout(() => {
      this._timers.delete(timer);
      void this._look(deleted, { ...step, writer });
    }, PATIENCE_MS);
    this._timers.add(timer);
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  dispose(): void {
    this._isDisposed = true;
    this._timers.forEach(timer => clearTimeout(timer));
    this._timers.clear();
  }

  private async _look(
    deleted: readonly Happening[],
    step: IStep
  ): Promise<void> {
    const { has, isRecorded } = this._options;
    const lacking: Happening[] = [];
    for (const one of deleted) {
      const isKnown =
        one.kind !== 'delete' ||
        has(one.id) ||
        (await isRecorded(one.id).catch(() => true));
      if (!isKnown) {
        lacking.push(one);
      }
    }
    if (lacking.length && !this._isDisposed) {
      this._options.record(lacking, step);
    }
  }

  private readonly _timers = new Set<number>();
  private _isDisposed = false;
}
