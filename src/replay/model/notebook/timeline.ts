/**
 * The timeline of a notebook: its moments, the current moment, and the snapshot of the notebook
 * after that moment. The position after the last moment means "now".
 *
 * Invariants:
 * - Only one snapshot is requested at a time: if the person drags the slider past a thousand
 *   moments, this does not request a thousand snapshots.
 * - When new moments are recorded, the current moment stays the same.
 * - A deleted cell is restored under its own id at its old position, in one undo step.
 */
import type {
  Moment,
  NotebookSnapshot,
  Report,
  Timeline,
  TimelineCell
} from '../../../api/types';
import type { IHistory } from '../../../tokens';
import { momentPositions } from './activity';
import { sourceAfter } from '../../../records/fold';
import { toFailure } from '../../../state/failure';
import { LoadedModel } from '../loadedModel';
import { ReplayPlayer } from '../player';
import type { IReplaySubject } from '../activeCell';

/** The largest number of cached snapshots. */
const MAX_SNAPSHOTS = 50;

/** The cell type and source of a deleted cell. */
interface ICellContent {
  readonly type: string;
  readonly source: string;
}

export class NotebookTimeline extends LoadedModel {
  constructor(options: { subject: IReplaySubject; history: IHistory }) {
    super(options);
    this.player.stateChanged.connect(this._onPositionChanged, this);
  }

  readonly player = new ReplayPlayer();

  /** The moments, oldest first; empty until the current notebook's timeline is loaded. */
  get moments(): readonly Moment[] {
    return this._isCurrent ? this._moments : [];
  }

  /** The position of each moment on the activity chart, from 0 to below 1. */
  get positions(): readonly number[] {
    return this._isCurrent ? this._positions : [];
  }

  /** The index of the current moment; the number of moments at "now". */
  get position(): number {
    return Math.min(this.player.position, this.moments.length);
  }

  get isNow(): boolean {
    return this.position >= this.moments.length;
  }

  get moment(): Moment | null {
    return this.moments[this.position] ?? null;
  }

  /** The snapshot after the current moment; while it is loading, the snapshot shown before. */
  get snapshot(): NotebookSnapshot | null {
    return this.isNow ? null : this._snapshot;
  }

  /** The report: how many lines each contributor wrote; null until it is loaded. */
  get report(): Report | null {
    return this._isCurrent ? this._report : null;
  }

  override get isLoading(): boolean {
    return super.isLoading || this._snapshotRequest !== null;
  }

  /** Return what the timeline says about a cell; null if it doesn't contain the cell. */
  cell(cellId: string): TimelineCell | null {
    return this._cellById.get(cellId) ?? null;
  }

  /** Go to the position after the last moment, which shows the notebook as it is now. */
  goToNow(): void {
    this.player.goTo(this.moments.length);
  }

  /** Reload the timeline and its snapshots without delay. */
  override refresh(): void {
    this._version = null;
    super.refresh();
  }

  /**
   * Restore a deleted cell with the content that it has in the snapshot on show; if it has none
   * there, with its last content.
   *
   * @returns Whether the cell was restored.
   */
  async undeleteCell(cellId: string): Promise<boolean> {
    const { notebookId } = this.subject;
    if (notebookId === null || !this.subject.canUndelete) {
      return false;
    }
    const deleted = await this._findDeleted(notebookId, cellId);
    return (
      deleted !== null &&
      this.subject.notebookId === notebookId &&
      this.subject.undeleteCell(deleted.cell, deleted.cellsAbove)
    );
  }

  override dispose(): void {
    super.dispose();
    this.player.dispose();
  }

  protected get target(): string | null {
    return this.subject.notebookId;
  }

  protected async fetch(signal: AbortSignal): Promise<() => void> {
    const { notebookId } = this.subject;
    this._abortSnapshot();
    if (notebookId === null) {
      return () => {
        this._shownId = null;
      };
    }
    const timeline = await this.history.api.timeline(notebookId, signal);
    return () => {
      this._update(notebookId, timeline);
      void this._loadReport(notebookId);
    };
  }

  protected override onActiveChanged(): void {
    if (!this.isActive) {
      this.player.pause();
      this._abortSnapshot();
    }
    super.onActiveChanged();
  }

  /** Whether the loaded timeline is that of the current notebook. */
  private get _isCurrent(): boolean {
    return this._shownId !== null && this._shownId === this.subject.notebookId;
  }

  private _abortSnapshot(): void {
    this._snapshotRequest?.abort();
    this._snapshotRequest = null;
  }

  /** Replace the moments by those of a loaded timeline, unless its version is shown already. */
  private _update(
    notebookId: string,
    { version, moments, cells }: Timeline
  ): void {
    if (version === this._version && notebookId === this._shownId) {
      return;
    }
    const isOtherNotebook = notebookId !== this._shownId;
    const previousMoment = isOtherNotebook ? null : this.moment;
    this._shownId = notebookId;
    this._version = version;
    this._moments = moments;
    this._positions = momentPositions(moments);
    this._cellById = new Map(cells.map(cell => [cell.cellId, cell]));
    this._snapshots = new Map();
    // The position after the last moment is "now".
    const length = moments.length ? moments.length + 1 : 0;
    if (isOtherNotebook) {
      this._snapshot = this._report = null;
      this.player.reset(length, length - 1);
      return;
    }
    this.player.grow(length);
    const index = previousMoment ? findMoment(moments, previousMoment) : -1;
    const hasNewIndex = index >= 0 && index !== this.player.position;
    if (hasNewIndex && !this.player.isPlaying) {
      this.player.goTo(index);
    }
  }

  /** Load the report of the current timeline, unless it was already requested. */
  private async _loadReport(notebookId: string): Promise<void> {
    const version = this._version;
    if (version === this._reportVersion || !this._moments.length) {
      return;
    }
    this._reportVersion = version;
    try {
      const report = await this.history.api.report(notebookId);
      if (notebookId === this._shownId) {
        this._report = report;
        this.stateChanged.emit();
      }
    } catch {
      this._reportVersion = null; // Try again when the timeline is next loaded.
    }
  }

  /** Load the snapshot after the current moment. */
  private async _loadSnapshot(): Promise<void> {
    const { moment } = this;
    if (!moment || !this.isActive) {
      return;
    }
    const { index } = moment;
    const cached = this._snapshots.get(index);
    if (cached) {
      this._snapshot = cached;
      return;
    }
    if (this._snapshotRequest) {
      // When the response arrives, the snapshot of the moment that is current then is requested.
      return;
    }
    const request = (this._snapshotRequest = new AbortController());
    try {
      const snapshot = await this._fetchSnapshot(index, request.signal);
      if (!request.signal.aborted) {
        this._snapshot = snapshot;
        this.setError(null);
      }
    } catch (reason) {
      if (!request.signal.aborted) {
        this.setError(toFailure(reason));
      }
    }
    if (request.signal.aborted) {
      return;
    }
    this._snapshotRequest = null;
    this.stateChanged.emit();
    if (this.moment && this.moment.index !== index && !this.error) {
      void this._loadSnapshot();
    }
  }

  /** Return the snapshot after a moment, from the cache or the server. */
  private async _fetchSnapshot(
    index: number,
    signal?: AbortSignal
  ): Promise<NotebookSnapshot> {
    const { _shownId: id, _version: version, _snapshots: snapshots } = this;
    const cached = snapshots.get(index);
    if (cached) {
      return cached;
    }
    const { api } = this.history;
    const snapshot = await api.moment(id!, index, version!, signal);
    if (snapshot.version === version) {
      snapshots.set(index, snapshot);
      if (snapshots.size > MAX_SNAPSHOTS) {
        snapshots.delete(snapshots.keys().next().value!);
      }
    }
    return snapshot;
  }

  /**
   * Find the content of a deleted cell and its former position. The content is that in the snapshot
   * on show, or at "now" in the last snapshot; if that has none, it is that of the cell's last step.
   * The position is given by the ids of the cells that were above it in the latest snapshot that
   * contains it, the nearest cell first; they are null if there is no such snapshot.
   *
   * @returns Null if the cell's content is unknown.
   */
  private async _findDeleted(notebookId: string, id: string) {
    const { moments } = this;
    let content: ICellContent | null = null;
    let cellsAbove: string[] | null = null;
    let index = this.snapshot?.index ?? moments.length - 1;
    while (index >= 0 && !cellsAbove) {
      const { cells, gone: deletedCells } = await this._fetchSnapshot(index);
      const hasId = ({ cellId }: { cellId: string }) => cellId === id;
      const position = cells.findIndex(hasId);
      content ??= cells[position] ?? deletedCells.find(hasId) ?? null;
      if (position >= 0) {
        const above = cells.slice(0, position).reverse();
        cellsAbove = above.map(({ cellId }) => cellId);
      }
      // The cell was deleted by the last moment that mentions it, or after it by a change of the
      // cells' order. The snapshot before that moment contains the cell in both cases.
      while (index >= 0 && !mentions(moments[index], id)) {
        index--;
      }
      index--;
    }
    if (!content) {
      const { steps } = await this.history.api.replay({
        notebookId,
        cellId: id
      });
      const step = steps.at(-1);
      const type = this.cell(id)?.type ?? 'code';
      content = step ? { type, source: sourceAfter(step) } : null;
    }
    return (
      content && {
        cell: { id, type: content.type, source: content.source },
        cellsAbove
      }
    );
  }

  private _onPositionChanged(): void {
    void this._loadSnapshot();
    this.stateChanged.emit();
  }

  private _snapshotRequest: AbortController | null = null;
  private _cellById: ReadonlyMap<string, TimelineCell> = new Map();
  private _moments: readonly Moment[] = [];
  private _positions: readonly number[] = [];
  private _report: Report | null = null;
  /** The version of the timeline for which the report was requested. */
  private _reportVersion: string | null = null;
  /** The id of the notebook whose timeline is loaded. */
  private _shownId: string | null = null;
  /** Cached snapshots of the loaded timeline, by the index of their moment. */
  private _snapshots = new Map<number, NotebookSnapshot>();
  private _snapshot: NotebookSnapshot | null = null;
  /** The server's value for the loaded timeline, which changes whenever the timeline does. */
  private _version: string | null = null;
}

/** Return the index of a moment in a newer list of moments; -1 if that doesn't contain it. */
function findMoment(moments: readonly Moment[], moment: Moment): number {
  const isSame = (candidate?: Moment) =>
    candidate?.cellId === moment.cellId &&
    candidate.step === moment.step &&
    candidate.kind === moment.kind &&
    candidate.timestamp === moment.timestamp;
  return isSame(moments[moment.index])
    ? moment.index
    : moments.findIndex(isSame);
}

/** Whether a moment is a change of the cell `id`, alone or together with other cells. */
function mentions({ cellId, also = [] }: Moment, id: string): boolean {
  return cellId === id || also.some(step => step.cellId === id);
}
