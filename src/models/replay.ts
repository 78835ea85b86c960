/**
 * The replay's state: the steps of the followed cell, which of them is on show, and what can
 * be done with it.
 *
 * What must hold: whatever is done is done to the cell that is shown, or not at all; a
 * restore is one undo step, and is recorded with what it replaced.
 */
import { IDisposable } from '@lumino/disposable';
import { ISignal, Signal } from '@lumino/signaling';

import type { ModelInfo, Step } from '../api/types';
import type { IHistory } from '../tokens';
import type { IFailure } from './failure';
import { ReplayOverview } from './replayOverview';
import { ReplayPlayer } from './replayPlayer';
import {
  IShownCell,
  ReplayPhase,
  ReplaySteps,
  StepsChange
} from './replaySteps';
import type { IReplaySubject, SubjectChange } from './replaySubject';

/** What became of a restore. */
export type RestoreNote = 'restored' | 'unrecorded' | null;

export class ReplayModel implements IDisposable {
  constructor(options: { subject: IReplaySubject; history: IHistory }) {
    this._subject = options.subject;
    this._history = options.history;
    this._steps = new ReplaySteps(options);
    this.overview = new ReplayOverview(options);
    this._subject.changed.connect(this._onSubjectChanged, this);
    this._steps.changed.connect(this._onStepsChanged, this);
    this.player.changed.connect(this._emit, this);
    this.overview.changed.connect(this._emit, this);
  }

  readonly player = new ReplayPlayer();
  readonly overview: ReplayOverview;

  /** Anything that a view shows. */
  get stateChanged(): ISignal<this, void> {
    return this._stateChanged;
  }

  /** Whether somebody looks. Only the view that is looked at works. */
  get isActive(): boolean {
    return this._isActive;
  }
  set isActive(value: boolean) {
    if (value === this._isActive || this._isDisposed) {
      return;
    }
    this._isActive = value;
    this._subject.isActive = value;
    if (value) {
      void this._loadModels();
    }
    this._wake();
  }

  /** One cell's steps, or all cells. */
  get view(): 'cell' | 'notebook' {
    return this._view;
  }
  set view(value: 'cell' | 'notebook') {
    if (value !== this._view) {
      this._view = value;
      this._wake();
      this._emit();
    }
  }

  get phase(): ReplayPhase {
    return this._steps.phase;
  }

  /** Whether newer steps are on their way. */
  get isLoading(): boolean {
    return this._steps.isLoading;
  }

  /** What went wrong, if the newest request failed. */
  get error(): IFailure | null {
    return this._steps.error;
  }

  get shown(): IShownCell | null {
    return this._steps.shown;
  }

  get steps(): readonly Step[] {
    return this._steps.all;
  }

  /** The step on show. */
  get step(): Step | null {
    return this.steps[this.player.position] ?? null;
  }

  /** Whether the cell on show is the active one, so that it can be changed. */
  get isFollowing(): boolean {
    return this._steps.isFollowing;
  }

  /** Whether the cell on show holds the step on show. */
  get isInCell(): boolean {
    return this.isFollowing && this.step?.code === this._subject.source;
  }

  /** Whether the cell holds what no step left there: a person has changed it since. */
  get isEditedSince(): boolean {
    const last = this.steps[this.steps.length - 1];
    return this.isFollowing && !!last && after(last) !== this._subject.source;
  }

  /** Whether code can be put into the cell on show. */
  get isWritable(): boolean {
    return this.isFollowing && this._subject.isWritable;
  }

  get canRestore(): boolean {
    const { step } = this;
    const failed = step?.outcome === 'error' && !step.code;
    return !!step && !failed && this.isWritable && !this.isInCell;
  }

  /** What became of the last restore; gone when the cell changes again. */
  get note(): RestoreNote {
    return this._note;
  }

  /** The type of the active cell, or null if there is none. */
  get activeType(): string | null {
    return this._subject.cell?.type ?? null;
  }

  /** What is known of the model with this id. */
  modelInfo(id: string): ModelInfo | null {
    return this._models.get(id) ?? null;
  }

  /** Ask for the steps again. */
  refresh(): void {
    this._steps.refresh();
  }

  /**
   * Put the step on show back into its cell: one undo step, and recorded.
   *
   * It is in the cell before this awaits anything. If only the record fails, `note` says so.
   */
  async restore(): Promise<void> {
    const { step, shown } = this;
    if (!this.canRestore || !step || !shown) {
      return;
    }
    this.player.pause();
    const replaced = this._subject.source;
    this._isApplying = true;
    try {
      this._subject.apply(step.code);
    } finally {
      this._isApplying = false;
    }
    this._note = 'restored';
    this._emit();
    const key = { notebookId: shown.notebookId, cellId: shown.cellId };
    const data = { from_seq: step.seq, replaced };
    const event = { type: 'restore', source: step.code, data };
    try {
      await this._history.record(key, [event]);
    } catch {
      if (this._note === 'restored') {
        this._note = 'unrecorded';
        this._emit();
      }
    }
  }

  /** Take the restore back. */
  undoRestore(): void {
    if (this._note && this.isFollowing) {
      this._subject.undo();
    }
  }

  /** Go to a cell; one that is no longer in the notebook is shown here instead. */
  async goTo(cellId: string): Promise<void> {
    if (this._subject.cells().some(cell => cell.id === cellId)) {
      await this._subject.goTo(cellId);
    } else {
      this._steps.pin(cellId);
      this.view = 'cell';
    }
  }

  /** Follow the active cell again, after a look at one that is gone. */
  unpin(): void {
    this._steps.pin(null);
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  dispose(): void {
    if (this._isDisposed) {
      return;
    }
    this.isActive = false;
    this._isDisposed = true;
    this._subject.changed.disconnect(this._onSubjectChanged, this);
    this._steps.dispose();
    this.player.dispose();
    this.overview.dispose();
    Signal.clearData(this);
  }

  private _wake(): void {
    const inCell = this._view === 'cell';
    if (!this._isActive || !inCell) {
      this.player.pause();
    }
    this._steps.isActive = this._isActive && inCell;
    this.overview.isActive = this._isActive && !inCell;
  }

  /** Names and places of models; without them a step shows the id alone. */
  private async _loadModels(): Promise<void> {
    if (this._models.size) {
      return;
    }
    try {
      const { models } = await this._history.models();
      this._models = new Map(models.map(model => [model.id, model]));
      this._emit();
    } catch {
      // Tried again when next shown.
    }
  }

  private _onStepsChanged(_: ReplaySteps, change: StepsChange): void {
    const count = this.steps.length;
    if (change === 'cell') {
      this._note = null;
      this.player.reset(count, count - 1);
    } else if (change === 'steps') {
      this.player.grow(count);
    } else {
      this._emit();
    }
  }

  private _onSubjectChanged(_: IReplaySubject, change: SubjectChange): void {
    if (change === 'source' && !this._isApplying) {
      this._note = null;
    }
    this._emit();
  }

  private _emit(): void {
    if (!this._isDisposed) {
      this._stateChanged.emit();
    }
  }

  private readonly _subject: IReplaySubject;
  private readonly _history: IHistory;
  private readonly _steps: ReplaySteps;
  private _isActive = false;
  private _isApplying = false;
  private _isDisposed = false;
  private _models = new Map<string, ModelInfo>();
  private _note: RestoreNote = null;
  private _stateChanged = new Signal<this, void>(this);
  private _view: 'cell' | 'notebook' = 'cell';
}

/** What the cell held after a step. */
export function after(step: Step): string {
  return step.applied ? step.code : step.before;
}
