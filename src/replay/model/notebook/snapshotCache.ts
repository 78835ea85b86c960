/**
 * A cache of the snapshots of one version of a notebook's timeline.
 *
 * Invariants: a snapshot of another version is never cached.
 */
import type { NotebookSnapshot } from '../../../api/types';
import type { IHistory } from '../../../tokens';

/** The largest number of cached snapshots. */
const MAX_SNAPSHOTS = 50;

export class SnapshotCache {
  constructor(
    private readonly _history: IHistory,
    readonly notebookId: string,
    /** The version of the timeline. */
    readonly version: string
  ) {}

  /** The cached snapshot after a moment; null if it is not cached. */
  get(index: number): NotebookSnapshot | null {
    return this._snapshots.get(index) ?? null;
  }

  /** The snapshot after a moment, from the cache or the server. */
  async load(index: number, signal?: AbortSignal): Promise<NotebookSnapshot> {
    const cached = this.get(index);
    if (cached) {
      return cached;
    }
    const { notebookId, version } = this;
    const snapshot = await this._history.api.moment(
      notebookId,
      index,
      version,
      signal
    );
    if (snapshot.version === version) {
      this._snapshots.set(index, snapshot);
      if (this._snapshots.size > MAX_SNAPSHOTS) {
        this._snapshots.delete(this._snapshots.keys().next().value!);
      }
    }
    return snapshot;
  }

  private readonly _snapshots = new Map<number, NotebookSnapshot>();
}
