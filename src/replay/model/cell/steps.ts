/**
 * The steps of the cell that the sidebar shows. This is the active cell, unless the person selected
 * a deleted cell, which is then pinned. The steps are fetched again for each other active cell.
 *
 * The invariants are those of `LoadedModel`.
 */
import { ISignal, Signal } from '@lumino/signaling';

import type { Step } from '../../../api/types';
import { ICellKey, IHistory, isSameCell } from '../../../tokens';
import { toFailure } from '../../../state/failure';
import { foldRuns, IShownStep } from '../../../records/fold';
import { LoadedModel } from '../loadedModel';
import type { IReplaySubject } from '../activeCell';
import type { ICellInfo, SubjectChange } from '../subject';

/**
 * The state of the cell view: `steps` if the cell has steps, else what is missing.
 * `idle`: nothing was requested yet · `notebook`: no notebook is open · `cell`: the notebook has no
 * cell, perhaps because it is still being opened · `history`: no cell of the notebook has a
 * history · `empty`: this cell has no history · `failed`: the request failed.
 */
export type ReplayPhase =
  'idle' | 'notebook' | 'cell' | 'history' | 'empty' | 'failed' | 'steps';

/** The cell that the sidebar shows, as it was when its steps were loaded. */
export interface IShownCell extends ICellKey {
  /** Null for a cell that is no longer in the notebook. */
  readonly info: ICellInfo | null;
  readonly mimeType: string;
}

/** `cell`: steps of another cell · `steps`: newer steps of the same cell. */
export type StepsChange = 'cell' | 'steps';

/** The minimum interval between requests, in milliseconds. */
const PAUSE_MS = 100;

export class ReplaySteps extends LoadedModel {
  constructor(options: { subject: IReplaySubject; history: IHistory }) {
    super(options, PAUSE_MS);
  }

  /** Emitted when `all` changes; `stateChanged` is emitted for every change of this model. */
  get changed(): ISignal<this, StepsChange> {
    return this._changed;
  }

  /** The state of the cell view. */
  get phase(): ReplayPhase {
    return this._phase;
  }

  /** The cell whose steps are shown; null if there is none. */
  get shown(): IShownCell | null {
    return this._shown;
  }

  /** All steps of the cell in `shown`, oldest first. */
  get all(): readonly IShownStep[] {
    return this._all;
  }

  /** Whether the cell in `shown` is the active cell, so that it can be edited. */
  get isFollowing(): boolean {
    return (
      this._shown !== null &&
      this._shown.cellId === this.subject.cell?.id &&
      this._shown.notebookId === this.subject.notebookId
    );
  }

  /** Reload the steps without delay. */
  override refresh(): void {
    this._lastLoad = 0;
    super.refresh();
  }

  /** Show a cell until another becomes active; with null, follow the active cell again. */
  pin(cellId: string | null): void {
    this._pinned = cellId;
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
    // While the person moves through many cells with an arrow key, request only the steps of the
    // first and the last of these cells.
    const isRapid = Date.now() - this._lastLoad < PAUSE_MS;
    this._lastLoad = Date.now();
    if (isRapid) {
      await new Promise(resolve => setTimeout(resolve, PAUSE_MS));
    }
    if (signal.aborted) {
      return () => undefined;
    }
    try {
      const { steps } = await this.history.api.replay(target, signal);
      return () => this._show(target, steps, steps.length ? 'steps' : 'empty');
    } catch (reason) {
      // Steps of this cell that are shown already may be outdated, but are still useful: keep them
      // next to the error.
      const hasSteps =
        this._phase === 'steps' && isSameCell(target, this._shown);
      return () => {
        this.setError(toFailure(reason));
        if (!hasSteps) {
          this._show(target, [], 'failed');
        }
      };
    }
  }

  protected override onSubjectChanged(
    _: IReplaySubject,
    change: SubjectChange
  ): void {
    if (change === 'activeCell') {
      this._pinned = null;
    }
    if (change !== 'source') {
      this.loadIfOutdated();
    }
  }

  protected override onHistoryChanged(_: IHistory, key: ICellKey): void {
    const target = this._getTarget();
    const isTarget = typeof target !== 'string' && isSameCell(key, target);
    if (!this.isActive || isTarget) {
      this.invalidate();
    }
  }

  /** If the steps needn't be loaded again, update at least the description of their cell. */
  protected override loadIfOutdated(): boolean {
    const isOutdated = super.loadIfOutdated();
    const target = this._getTarget();
    if (!isOutdated && this.isActive && typeof target !== 'string') {
      if (isSameCell(target, this._shown)) {
        this._shown = target;
      }
      this.stateChanged.emit();
    }
    return isOutdated;
  }

  /** Return the cell that should be shown; if there is none, the phase that says why. */
  private _getTarget(): IShownCell | ReplayPhase {
    const { hasNotebook, notebookId, cell, mimeType } = this.subject;
    if (!hasNotebook) {
      return 'notebook';
    }
    if (notebookId === null) {
      // A notebook without a cell is still being opened.
      return cell ? 'history' : 'cell';
    }
    if (this._pinned !== null) {
      return { notebookId, cellId: this._pinned, info: null, mimeType };
    }
    return cell
      ? { notebookId, cellId: cell.id, info: cell, mimeType }
      : 'cell';
  }

  /** Replace the steps on show, their cell and the phase, and emit the signal. */
  private _show(
    shown: IShownCell | null,
    steps: readonly Step[],
    phase: ReplayPhase
  ): void {
    const isSame = isSameCell(shown, this._shown) && this._all.length > 0;
    // Describe the cell as it is now: it may have changed while the request was pending.
    const current = this.subject.cell;
    const info =
      current && shown?.info?.id === current.id ? current : shown?.info;
    this._shown = shown && { ...shown, info: info ?? null };
    this._all = foldRuns(steps);
    this._phase = phase;
    this._changed.emit(isSame ? 'steps' : 'cell');
  }

  private _all: readonly IShownStep[] = [];
  private readonly _changed = new Signal<this, StepsChange>(this);
  private _lastLoad = 0;
  private _phase: ReplayPhase = 'idle';
  private _pinned: string | null = null;
  private _shown: IShownCell | null = null;
}
