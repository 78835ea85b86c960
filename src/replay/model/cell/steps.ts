/**
 * The steps of the cell that the sidebar shows: the active cell, or a deleted cell that the person
 * opened. A deleted cell is pinned until another cell becomes active.
 */
import { Signal } from '@lumino/signaling';

import type { Step, TurnReceipt } from '../../../api/types';
import {
  ICellKey,
  IHistory,
  type IShownAnswers,
  isSameCell
} from '../../../tokens';
import { toFailure } from '../../../state/failure';
import { foldRuns, IShownStep } from '../../../records/fold';
import { LoadedModel } from '../loadedModel';
import type { ICellInfo, IReplaySubject, SubjectChange } from '../activeCell';

/**
 * The state of the cell tab: `steps` if there are steps to show, else the reason why there are
 * none. `idle`: nothing was requested yet · `notebook`: no notebook is open · `cell`: no cell is
 * active, perhaps because the notebook is still being opened · `history`: no cell of the notebook
 * has a history · `empty`: this cell has no history · `failed`: the request failed.
 */
export type ReplayPhase =
  'idle' | 'notebook' | 'cell' | 'history' | 'empty' | 'failed' | 'steps';

export interface IShownCell extends ICellKey {
  /** The description of the cell; null if the cell is no longer in the notebook. */
  readonly info: ICellInfo | null;
  readonly mimeType: string;
}

/**
 * `cell`: other or first steps are shown now · `steps`: the steps of the same cell were loaded
 * again.
 */
export type StepsChange = 'cell' | 'steps';

const PAUSE_MS = 100;

export class ReplaySteps extends LoadedModel {
  constructor(
    subject: IReplaySubject,
    history: IHistory,
    private readonly _host: {
      shownAnswers(key: ICellKey): IShownAnswers | null;
    }
  ) {
    super(subject, history, PAUSE_MS);
  }

  /** Emitted when `all` is replaced. (`stateChanged` is emitted for every change of this model.) */
  readonly changed = new Signal<this, StepsChange>(this);

  get phase(): ReplayPhase {
    return this._phase;
  }

  /** The cell whose steps are shown; null if there is none. */
  get shownCell(): IShownCell | null {
    return this._shownCell;
  }

  get all(): readonly IShownStep[] {
    return this._all;
  }

  /**
   * Return a step with the answer that the person has chosen to see. The answers to an open request
   * are as the cell's prompt row shows them.
   */
  at(position: number): IShownStep | null {
    const step = this._all[position];
    if (!step) {
      return null;
    }
    const isOpen = step.outcome === 'open' && this._shownCell;
    const inRow = isOpen ? this._host.shownAnswers(isOpen) : null;
    const turnId = this._chosenAttempts.get(step.seq) ?? inRow?.turnId;
    const shown = withAttempt(step, turnId);
    const code = inRow?.codes.get(shown.turnId ?? 0);
    return code === undefined ? shown : { ...shown, code };
  }

  /** Show another answer to the request of a step: the one of the turn `turnId`. */
  showAttempt({ seq }: Step, turnId: number): void {
    this._chosenAttempts.set(seq, turnId);
    this.stateChanged.emit();
  }

  get summaries(): readonly TurnReceipt[] {
    return this._summaries;
  }

  /** Whether `shownCell` is the active cell; only then can an action change its source. */
  get isActiveCellShown(): boolean {
    return (
      this._shownCell !== null &&
      this._shownCell.cellId === this.subject.cell?.id &&
      this._shownCell.notebookId === this.subject.notebookId
    );
  }

  override refresh(): void {
    this._lastFetchTime = 0;
    super.refresh();
  }

  /** Show a cell until another one becomes active; with null, the active cell. */
  pin(cellId: string | null): void {
    this._pinnedCellId = cellId;
    this.loadIfOutdated();
  }

  protected get target(): string {
    const target = this._getTarget();
    return typeof target === 'string'
      ? target
      : JSON.stringify([target.notebookId, target.cellId]);
  }

  protected async fetch(signal: AbortSignal): Promise<() => void> {
    const target = this._getTarget();
    if (typeof target === 'string') {
      return () => this._show(null, [], target);
    }
    // While the person moves quickly through many cells, delay each request after the first, so
    // that only the first and the last of these cells are requested.
    const isRapid = Date.now() - this._lastFetchTime < PAUSE_MS;
    this._lastFetchTime = Date.now();
    if (isRapid) {
      await new Promise(resolve => setTimeout(resolve, PAUSE_MS));
    }
    if (signal.aborted) {
      return () => undefined;
    }
    try {
      const replay = await this.history.api.replay(target, signal);
      const { steps, summaries } = replay;
      return () => {
        this._summaries = summaries;
        this._show(target, steps, steps.length ? 'steps' : 'empty');
      };
    } catch (reason) {
      // Keep the steps of this cell that are shown already, and show the error above them.
      const showsSteps =
        this._phase === 'steps' && isSameCell(target, this._shownCell);
      return () => {
        this.lastError = toFailure(reason);
        if (!showsSteps) {
          this._show(target, [], 'failed');
        }
      };
    }
  }

  protected override onSubjectChanged(
    subject: IReplaySubject,
    change: SubjectChange
  ): void {
    if (change === 'activeCell') {
      this._pinnedCellId = null;
    }
    super.onSubjectChanged(subject, change);
  }

  protected override onHistoryChanged(_: IHistory, key: ICellKey): void {
    const target = this._getTarget();
    const isTarget = typeof target !== 'string' && isSameCell(key, target);
    if (!this.isActive || isTarget) {
      this.invalidate();
    }
  }

  /** Load the steps if they are outdated. Otherwise update only the description of their cell. */
  protected override loadIfOutdated(): boolean {
    const isOutdated = super.loadIfOutdated();
    const target = this._getTarget();
    if (!isOutdated && this.isActive && typeof target !== 'string') {
      if (isSameCell(target, this._shownCell)) {
        this._shownCell = target;
      }
      this.stateChanged.emit();
    }
    return isOutdated;
  }

  private _getTarget(): IShownCell | ReplayPhase {
    const { hasNotebook, notebookId, cell, mimeType } = this.subject;
    if (!hasNotebook) {
      return 'notebook';
    }
    if (notebookId === null) {
      // A notebook without an active cell is still being opened.
      return cell ? 'history' : 'cell';
    }
    if (this._pinnedCellId !== null) {
      return { notebookId, cellId: this._pinnedCellId, info: null, mimeType };
    }
    return cell
      ? { notebookId, cellId: cell.id, info: cell, mimeType }
      : 'cell';
  }

  /** Replace the steps, their cell and the phase, and emit `changed`. */
  private _show(
    cell: IShownCell | null,
    steps: readonly Step[],
    phase: ReplayPhase
  ): void {
    // The first steps of a cell don't count as an update, so that the player goes to the last step.
    const isUpdate = isSameCell(cell, this._shownCell) && this._all.length > 0;
    const activeCell = this.subject.cell;
    const info =
      activeCell && cell?.info?.id === activeCell.id ? activeCell : cell?.info;
    this._shownCell = cell && { ...cell, info: info ?? null };
    if (!isUpdate) {
      this._chosenAttempts.clear();
    }
    this._all = foldRuns(steps);
    this._phase = phase;
    this.changed.emit(isUpdate ? 'steps' : 'cell');
  }

  /** Maps the `seq` of a step to the turn of the answer that the person has chosen to see. */
  private readonly _chosenAttempts = new Map<number, number>();
  private _all: readonly IShownStep[] = [];
  /** The time of the last call of `fetch`, in milliseconds; 0 if the next call must not wait. */
  private _lastFetchTime = 0;
  private _phase: ReplayPhase = 'idle';
  private _pinnedCellId: string | null = null;
  private _shownCell: IShownCell | null = null;
  private _summaries: readonly TurnReceipt[] = [];
}

/** Return a step with another one of its answers; `turnId` is the answer's turn. */
function withAttempt(step: IShownStep, turnId: number | undefined): IShownStep {
  const attempt = step.attempts?.find(other => other.turnId === turnId);
  if (!attempt || turnId === step.turnId) {
    return step;
  }
  const isSuggestion = attempt.outcome === 'open';
  const { code, model, explanation, error, errorText, receipt } = attempt;
  return {
    ...step,
    ...{ turnId, code, model, explanation, error, errorText, receipt },
    applied: false,
    // Nobody can accept it any more once there is a decision on the request.
    outcome:
      isSuggestion && step.outcome !== 'open' ? 'unused' : attempt.outcome,
    runs: []
  };
}
