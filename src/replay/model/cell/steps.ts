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
  /** Null if the cell is no longer in the notebook. */
  readonly info: ICellInfo | null;
  readonly mimeType: string;
}

/** `cell`: other or first steps are shown now · `steps`: those of the same cell were updated. */
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
  phase: ReplayPhase = 'idle';
  /** The cell whose steps are shown; null if there is none. */
  shownCell: IShownCell | null = null;
  all: readonly IShownStep[] = [];
  summaries: readonly TurnReceipt[] = [];

  /**
   * Return a step with the answer that the person has chosen to see. The answers to an open request
   * are as the cell's prompt row shows them.
   */
  at(position: number): IShownStep | null {
    const step = this.all[position];
    if (!step) {
      return null;
    }
    const inRow = this.answersInRow(step);
    const turnId = this._chosenAttempts.get(step.seq) ?? inRow?.turnId;
    const shown = withAttempt(step, turnId);
    const code = inRow?.codes.get(shown.turnId ?? 0);
    return code === undefined ? shown : { ...shown, code };
  }

  /** Return the answers to an open request as the prompt row shows them; null for other steps. */
  answersInRow({ outcome }: Step): IShownAnswers | null {
    return outcome === 'open' && this.shownCell
      ? this._host.shownAnswers(this.shownCell)
      : null;
  }

  showAttempt({ seq }: Step, turnId: number): void {
    this._chosenAttempts.set(seq, turnId);
    this.stateChanged.emit();
  }

  /** Whether `shownCell` is the active cell; only then can an action change its source. */
  get isActiveCellShown(): boolean {
    const { cell, notebookId } = this.subject;
    const { shownCell } = this;
    return (
      shownCell?.cellId === cell?.id && shownCell?.notebookId === notebookId
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
    // Of the cells through which a person moves quickly, request only the first and the last.
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
        this.summaries = summaries;
        this._show(target, steps, steps.length ? 'steps' : 'empty');
      };
    } catch (reason) {
      // Keep the steps of this cell that are shown already, and show the error above them.
      const showsSteps =
        this.phase === 'steps' && isSameCell(target, this.shownCell);
      return () => {
        this.error = toFailure(reason);
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
      if (isSameCell(target, this.shownCell)) {
        this.shownCell = target;
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
      return cell ? 'history' : 'cell';
    }
    if (this._pinnedCellId !== null) {
      return { notebookId, cellId: this._pinnedCellId, info: null, mimeType };
    }
    return cell
      ? { notebookId, cellId: cell.id, info: cell, mimeType }
      : 'cell';
  }

  private _show(
    cell: IShownCell | null,
    steps: readonly Step[],
    phase: ReplayPhase
  ): void {
    // The first steps of a cell don't count as an update, so that the player goes to the last step.
    const isUpdate = isSameCell(cell, this.shownCell) && this.all.length > 0;
    const activeCell = this.subject.cell;
    const info =
      activeCell && cell?.info?.id === activeCell.id ? activeCell : cell?.info;
    this.shownCell = cell && { ...cell, info: info ?? null };
    if (!isUpdate) {
      this._chosenAttempts.clear();
    }
    this.all = foldRuns(steps);
    this.phase = phase;
    this.changed.emit(isUpdate ? 'steps' : 'cell');
  }

  /** Maps the `seq` of a step to the turn of the answer that the person has chosen to see. */
  private readonly _chosenAttempts = new Map<number, number>();
  /** The time of the last call of `fetch`, in milliseconds; 0 if the next call must not wait. */
  private _lastFetchTime = 0;
  private _pinnedCellId: string | null = null;
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
