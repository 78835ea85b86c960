/**
 * The overview of a notebook, which the notebook tab shows at "now": a row for each cell, and then
 * for each deleted cell that has a history.
 */

import type { SessionSummary, UsageTotals } from '../../../api/types';
import {
  firstLineOf,
  ICellInfo,
  type IReplaySubject,
  SubjectChange
} from '../activeCell';
import { LoadedModel } from '../loadedModel';

export interface IOverviewRow {
  readonly cellId: string;
  readonly cell: ICellInfo | null;
  /** The first line of the cell's source; for a deleted cell, of its last recorded source. */
  readonly firstLine: string;
  readonly summary: SessionSummary | null;
  readonly isActive: boolean;
}

export class ReplayOverview extends LoadedModel {
  override get isLoading(): boolean {
    return (
      super.isLoading && this._loadedNotebookId !== this.subject.notebookId
    );
  }

  /** The rows, with deleted cells last. After a change, the next read builds the rows again. */
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
      this._loadedNotebookId = notebookId;
      this._rows = null;
    };
  }

  protected override onActiveChanged(): void {
    this._rows = null;
    super.onActiveChanged();
  }

  private _buildRows(): IOverviewRow[] {
    const summaryByCellId: ReadonlyMap<string, SessionSummary> =
      this._loadedNotebookId === this.subject.notebookId
        ? this._summaryByCellId
        : new Map();
    const activeCellId = this.subject.cell?.id;
    const cells = this.subject.cells();
    const rows: IOverviewRow[] = cells.map(cell => ({
      cellId: cell.id,
      cell,
      firstLine: cell.firstLine,
      summary: summaryByCellId.get(cell.id) ?? null,
      isActive: cell.id === activeCellId
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
      // There may be a thousand rows. Don't rebuild them at each key press.
      const activeRow = this._rows.find(({ isActive }) => isActive);
      if (activeRow?.firstLine === this.subject.cell?.firstLine) {
        return;
      }
    }
    this._rows = null;
    if (!this.loadIfOutdated()) {
      this.stateChanged.emit();
    }
  }

  private _rows: IOverviewRow[] | null = null;
  /** The id of the notebook whose summaries are in `_summaryByCellId`. */
  private _loadedNotebookId: string | null = null;
  private _summaryByCellId = new Map<string, SessionSummary>();
}

export class NotebookUsage extends LoadedModel {
  get notebook(): UsageTotals | null {
    const isCurrent = this._notebookId === this.subject.notebookId;
    return isCurrent ? this._notebook : null;
  }

  today: UsageTotals | null = null;

  protected get target(): string | null {
    return this.subject.notebookId;
  }

  protected async fetch(signal: AbortSignal): Promise<() => void> {
    const { notebookId } = this.subject;
    const { api } = this.history;
    const midnight = new Date();
    midnight.setHours(0, 0, 0, 0);
    const [notebook, today] =
      notebookId === null
        ? [null, null]
        : await Promise.all([
            api.usage(notebookId, undefined, signal),
            api.usage(null, midnight, signal)
          ]);
    return () => {
      this._notebook = notebook;
      this._notebookId = notebookId;
      this.today = today;
    };
  }

  private _notebook: UsageTotals | null = null;
  /** The id of the notebook whose sums are in `_notebook`. */
  private _notebookId: string | null = null;
}
