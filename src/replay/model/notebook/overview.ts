/**
 * The overview of a notebook's histories: its cells in order, then the deleted cells that have a
 * history.
 */
import type { SessionSummary } from '../../../api/types';
import { LoadedModel } from '../loadedModel';
import type { IReplaySubject } from '../activeCell';
import { firstLineOf, ICellInfo, SubjectChange } from '../subject';

export interface IOverviewRow {
  readonly cellId: string;
  /** Null if the cell is no longer in the notebook. */
  readonly cell: ICellInfo | null;
  readonly firstLine: string;
  /** Null if the cell has no history. */
  readonly summary: SessionSummary | null;
  readonly isActive: boolean;
}

export class ReplayOverview extends LoadedModel {
  /** Whether the summaries of a notebook are loading that isn't shown yet. */
  override get isLoading(): boolean {
    return super.isLoading && this._shownId !== this.subject.notebookId;
  }

  /** One row per cell, with deleted cells last. The rows are built when they are first needed. */
  get rows(): readonly IOverviewRow[] {
    return (this._rows ??= this._buildRows());
  }

  protected get target(): string | null {
    return this.subject.notebookId;
  }

  protected async fetch(): Promise<() => void> {
    const { notebookId } = this.subject;
    const summaries =
      notebookId === null ? [] : await this.history.api.sessions(notebookId);
    return () => {
      this._summaryByCellId = new Map(
        summaries.map(summary => [summary.cellId, summary])
      );
      this._shownId = notebookId;
      this._rows = null;
    };
  }

  protected override onActiveChanged(): void {
    this._rows = null;
    super.onActiveChanged();
  }

  private _buildRows(): IOverviewRow[] {
    const summaryByCellId: ReadonlyMap<string, SessionSummary> =
      this._shownId === this.subject.notebookId
        ? this._summaryByCellId
        : new Map();
    const activeId = this.subject.cell?.id;
    const cells = this.subject.cells();
    const rows: IOverviewRow[] = cells.map(cell => ({
      cellId: cell.id,
      cell,
      firstLine: cell.firstLine,
      summary: summaryByCellId.get(cell.id) ?? null,
      isActive: cell.id === activeId
    }));
    const cellIds = new Set(cells.map(cell => cell.id));
    const deletedSummaries = [...summaryByCellId.values()]
      .filter(summary => !cellIds.has(summary.cellId))
      .sort((a, b) => b.lastUpdated.localeCompare(a.lastUpdated));
    for (const summary of deletedSummaries) {
      rows.push({
        cellId: summary.cellId,
        cell: null,
        firstLine: firstLineOf(summary.lastSource),
        summary,
        isActive: false
      });
    }
    return rows;
  }

  protected override onSubjectChanged(
    _: IReplaySubject,
    change: SubjectChange
  ): void {
    if (!this.isActive) {
      return;
    }
    if (change === 'source' && this._rows) {
      // The source changes with each key press. Rebuild the rows, of which there may be a thousand,
      // only if the cell's first line changed.
      const row = this._rows.find(({ isActive }) => isActive);
      if (row?.firstLine === this.subject.cell?.firstLine) {
        return;
      }
    }
    this._rows = null;
    if (!this.loadIfOutdated()) {
      this.stateChanged.emit();
    }
  }

  /** Null if the rows must be built again. */
  private _rows: IOverviewRow[] | null = null;
  /** The id of the notebook to which `_summaryByCellId` belongs. */
  private _shownId: string | null = null;
  private _summaryByCellId = new Map<string, SessionSummary>();
}
