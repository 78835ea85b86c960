/**
 * The timeline of a notebook: its moments, the current one, and the snapshot of the notebook after
 * it. After the last moment comes one more position, "now". Invariants: only one snapshot is
 * requested at a time, however far the person drags the slider. New moments leave the current
 * moment as it is, except during playback. A deleted cell is restored with its old id.
 */
import type {
  CellSnapshot,
  Moment,
  NotebookSnapshot,
  Report,
  Timeline,
  TimelineCell
} from '../../../api/types';
import type { IHistory } from '../../../tokens';
import { chartPositionsOf } from './activity';
import { sourceAfter } from '../../../records/fold';
import { IFailure, toFailure } from '../../../state/failure';
import { LoadedModel } from '../loadedModel';
import { ReplayPlayer } from '../player';
import type { IReplaySubject } from '../activeCell';

const MAX_SNAPSHOTS = 50;

export class NotebookTimeline extends LoadedModel {
  constructor(subject: IReplaySubject, history: IHistory) {
    super(subject, history);
    this.player.stateChanged.connect(() => {
      void this._loadSnapshot();
      this.stateChanged.emit();
    }, this);
  }

  readonly player = new ReplayPlayer();

  get moments(): readonly Moment[] {
    return this._current?.moments ?? [];
  }

  get chartPositions(): readonly number[] {
    return this._current?.chartPositions ?? [];
  }

  /** The index of the current moment. At "now" it is the number of moments. */
  get position(): number {
    return Math.min(this.player.position, this.moments.length);
  }

  get isNow(): boolean {
    return this.position >= this.moments.length;
  }

  get moment(): Moment | null {
    return this.moments[this.position] ?? null;
  }

  /** The notebook after the current moment or, while it loads, after another one; null at "now". */
  get snapshot(): NotebookSnapshot | null {
    return this.isNow ? null : this._snapshot;
  }

  get report(): Report | null {
    return this._current ? this._report : null;
  }

  override get isLoading(): boolean {
    return super.isLoading || this._snapshotRequest !== null;
  }

  /** Maps the id of each cell to its last request that was accepted. Other cells have no entry. */
  get acceptedRequests(): ReadonlyMap<string, string> {
    return this._current?.acceptedRequests ?? NO_REQUESTS;
  }

  /** Load the timeline, and show the notebook at a time, before deletions at this time. */
  showTime(time: Date): void {
    this._requestedTime = time;
    this.refresh();
  }

  cell(cellId: string): TimelineCell | null {
    return this._loaded?.cells.find(cell => cell.cellId === cellId) ?? null;
  }

  override refresh(): void {
    // Show the timeline again, even if its version is the same.
    this._loaded = this._loaded && { ...this._loaded, version: '' };
    super.refresh();
  }

  /**
   * Restore a deleted cell with its content in the shown snapshot, or else with its last content.
   * Return whether it was restored.
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
      return () => (this._loaded = null);
    }
    const timeline = await this.history.api.timeline(notebookId, signal);
    return () => {
      this._update(notebookId, timeline);
      this._goToRequestedTime();
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

  private get _current(): ILoadedTimeline | null {
    const { notebookId } = this.subject;
    return this._loaded?.notebookId === notebookId ? this._loaded : null;
  }

  private _abortSnapshot(): void {
    this._snapshotRequest?.abort();
    this._snapshotRequest = null;
  }

  private _update(notebookId: string, timeline: Timeline): void {
    const { version, moments } = timeline;
    const isOtherNotebook = notebookId !== this._loaded?.notebookId;
    if (version === this._loaded?.version && !isOtherNotebook) {
      return;
    }
    const previousMoment = isOtherNotebook ? null : this.moment;
    this._loaded = {
      ...timeline,
      notebookId,
      chartPositions: chartPositionsOf(moments),
      acceptedRequests: acceptedRequestsOf(moments),
      snapshots: new Map()
    };
    const length = moments.length ? moments.length + 1 : 0;
    if (isOtherNotebook) {
      this._snapshot = this._report = null;
      this.player.reset(length, length - 1);
      return;
    }
    this.player.updateLength(length);
    // If moments were inserted before the current moment, its index has changed: go to this index.
    const index = previousMoment ? findMoment(moments, previousMoment) : -1;
    const isMoved = index >= 0 && index !== this.player.position;
    if (isMoved && !this.player.isPlaying) {
      this.player.goTo(index);
    }
  }

  private _goToRequestedTime(): void {
    const time = this._requestedTime;
    if (time) {
      const isBefore = ({ kind, timestamp }: Moment) =>
        kind !== 'delete' && new Date(timestamp) <= time;
      this.player.goTo(this.moments.filter(isBefore).at(-1)?.index ?? 0);
    }
    this._requestedTime = null;
  }

  private async _loadReport(notebookId: string): Promise<void> {
    const version = this._loaded?.version ?? null;
    if (version === this._reportVersion || !this._loaded?.moments.length) {
      return;
    }
    this._reportVersion = version;
    try {
      const report = await this.history.api.report(notebookId);
      if (notebookId === this._loaded?.notebookId) {
        this._report = report;
        this.stateChanged.emit();
      }
    } catch {
      this._reportVersion = null; // Try again the next time the timeline is loaded.
    }
  }

  private async _loadSnapshot(): Promise<void> {
    const { moment } = this;
    if (!moment || !this.isActive) {
      return;
    }
    const { index } = moment;
    const cached = this._loaded?.snapshots.get(index);
    if (cached) {
      this._snapshot = cached;
      return;
    }
    if (this._snapshotRequest) {
      return; // When it ends, the snapshot of the moment that is current then is requested.
    }
    const request = (this._snapshotRequest = new AbortController());
    let snapshot: NotebookSnapshot | null = null;
    let error: IFailure | null = null;
    try {
      snapshot = await this._fetchSnapshot(index, request.signal);
    } catch (reason) {
      error = toFailure(reason);
    }
    if (request.signal.aborted) {
      return;
    }
    this._snapshot = snapshot ?? this._snapshot;
    this.error = error;
    this._snapshotRequest = null;
    this.stateChanged.emit();
    if (this.moment && this.moment.index !== index && !this.error) {
      void this._loadSnapshot();
    }
  }

  private async _fetchSnapshot(
    index: number,
    signal?: AbortSignal
  ): Promise<NotebookSnapshot> {
    const { notebookId, version, snapshots } = this._loaded!;
    const cached = snapshots.get(index);
    if (cached) {
      return cached;
    }
    const { api } = this.history;
    const snapshot = await api.moment(notebookId, index, version, signal);
    // Otherwise `index` may now refer to another moment.
    if (snapshot.version === version) {
      snapshots.set(index, snapshot);
      if (snapshots.size > MAX_SNAPSHOTS) {
        snapshots.delete(snapshots.keys().next().value!);
      }
    }
    return snapshot;
  }

  /**
   * Find a deleted cell in the shown snapshot (at "now", in the last one), or else its last step.
   * `cellsAbove` are the ids of the cells above its place, the nearest first; null if it is unknown.
   */
  private async _findDeleted(notebookId: string, id: string) {
    const index = this.snapshot?.index ?? this.moments.length - 1;
    const rows =
      index < 0 ? [] : snapshotRows(await this._fetchSnapshot(index));
    const position = rows.findIndex(({ cell }) => cell.cellId === id);
    if (position >= 0) {
      const { cell, number } = rows[position];
      const above = rows.slice(0, position).map(row => row.cell.cellId);
      const isPlaced = number !== null || cell.predecessor !== undefined;
      return {
        cell: { id, type: cell.type, source: cell.source },
        cellsAbove: isPlaced ? above.reverse() : null
      };
    }
    const key = { notebookId, cellId: id };
    const step = (await this.history.api.replay(key)).steps.at(-1);
    const { type = 'code', mergedInto = null } = this.cell(id) ?? {};
    return step
      ? {
          cell: { id, type, source: sourceAfter(step) },
          cellsAbove: mergedInto === null ? null : [mergedInto]
        }
      : null;
  }

  /** Aborts the pending request for a snapshot; null if no such request is pending. */
  private _snapshotRequest: AbortController | null = null;
  private _requestedTime: Date | null = null;
  private _loaded: ILoadedTimeline | null = null;
  private _report: Report | null = null;
  private _reportVersion: string | null = null;
  private _snapshot: NotebookSnapshot | null = null;
}

interface ILoadedTimeline extends Timeline {
  readonly notebookId: string;
  readonly chartPositions: readonly number[];
  readonly acceptedRequests: ReadonlyMap<string, string>;
  readonly snapshots: Map<number, NotebookSnapshot>;
}

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

const NO_REQUESTS: ReadonlyMap<string, string> = new Map();

function acceptedRequestsOf(moments: readonly Moment[]): Map<string, string> {
  return new Map(
    moments.flatMap(({ kind, outcome, cellId, title }) =>
      kind === 'turn' && outcome === 'accepted' && cellId !== null
        ? [[cellId, title]]
        : []
    )
  );
}

/** A cell of a snapshot, and its position in the notebook, from 1; null if it was deleted. */
export interface ISnapshotRow {
  readonly cell: CellSnapshot;
  readonly number: number | null;
}

/** Return all cells of a snapshot. A deleted cell is below the one that was above it, or last. */
export function snapshotRows({
  cells,
  deleted
}: NotebookSnapshot): ISnapshotRow[] {
  const rows: ISnapshotRow[] = [];
  const remaining = new Set(deleted);
  const addDeletedBelow = (idAbove: string | null) => {
    for (const cell of [...remaining]) {
      if (cell.predecessor === idAbove && remaining.delete(cell)) {
        rows.push({ cell, number: null });
        addDeletedBelow(cell.cellId);
      }
    }
  };
  addDeletedBelow(null);
  cells.forEach((cell, index) => {
    rows.push({ cell, number: index + 1 });
    addDeletedBelow(cell.cellId);
  });
  return [...rows, ...[...remaining].map(cell => ({ cell, number: null }))];
}
