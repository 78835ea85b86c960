/**
 * The replay's state: the steps of the followed cell, which of them is on show, and what is
 * compared with it. What can be done with it is in `actions`.
 *
 * What must hold: what is on show is a step of the cell that is named, whatever answers last.
 */
import { IDisposable } from '@lumino/disposable';
import { ISignal, Signal } from '@lumino/signaling';

import type { ModelInfo, SearchHit } from '../../api/types';
import type { IHistory } from '../../tokens';
import type { IFailure } from '../../state/failure';
import { ModelInfos } from './modelInfos';
import { NotebookTimeline } from './notebook/timeline';
import { IReplayAsking, ReplayActions } from './cell/actions';
import { ReplayCompare } from './cell/compare';
import type { IShownStep } from './cell/fold';
import { ReplayOverview } from './notebook/overview';
import { ReplayPlayer } from './player';
import { describeCells, IRelative } from './cell/relatives';
import {
  IShownCell,
  ReplayPhase,
  ReplaySteps,
  StepsChange
} from './cell/steps';
import type { IReplaySubject, SubjectChange } from './subject';
import { IStepPlace, WantedStep } from './cell/requestedStep';
import { SearchModel } from './search';

/** One cell through time, the whole notebook through time, or a search over all. */
export type ReplayTab = 'cell' | 'notebook' | 'search';

/** How a difference is drawn: in one text, or in two beside each other. */
export type DiffMode = 'inline' | 'split';

export class ReplayModel implements IDisposable {
  constructor(options: {
    subject: IReplaySubject;
    history: IHistory;
    asking?: IReplayAsking;
    /** Open a notebook and bring it to the front. */
    openFile?: (path: string) => Promise<void>;
  }) {
    const { subject, history, asking = SILENT } = options;
    this._openFile = options.openFile ?? null;
    this._subject = subject;
    this._history = history;
    this._models = new ModelInfos(history);
    this.describeCells = ids => describeCells(options, ids);
    this._steps = new ReplaySteps(options);
    this.overview = new ReplayOverview(options);
    this.timeline = new NotebookTimeline(options);
    this.search = new SearchModel(options);
    const steps = this._steps;
    const { player } = this;
    this.actions = new ReplayActions({
      subject,
      history,
      steps,
      player,
      asking
    });
    this._subject.changed.connect(this._onSubjectChanged, this);
    this._steps.changed.connect(this._onStepsChanged, this);
    this.player.changed.connect(this._emit, this);
    this.compare.changed.connect(this._emit, this);
    this.actions.changed.connect(this._emit, this);
    this.overview.changed.connect(this._emit, this);
    this.timeline.changed.connect(this._emit, this);
    this.search.changed.connect(this._emit, this);
  }

  readonly player = new ReplayPlayer();
  readonly compare = new ReplayCompare(this.player);
  readonly actions: ReplayActions;
  readonly overview: ReplayOverview;
  readonly timeline: NotebookTimeline;
  readonly search: SearchModel;
  /** The cells with these ids, as they are or were. */
  readonly describeCells: (ids: readonly string[]) => Promise<IRelative[]>;

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
      void this._models.load().then(isMore => isMore && this._emit());
    }
    this._wake();
  }

  get view(): ReplayTab {
    return this._view;
  }
  set view(value: ReplayTab) {
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

  get steps(): readonly IShownStep[] {
    return this._steps.all;
  }

  /** The step on show. */
  get step(): IShownStep | null {
    return this.steps[this.player.position] ?? null;
  }

  /** Whether the cell on show is the active one, so that it can be changed. */
  get isFollowing(): boolean {
    return this._steps.isFollowing;
  }

  /** The step that the one on show is compared with; null while it is shown by itself. */
  get compared(): IShownStep | null {
    const { from } = this.compare;
    return from === null ? null : (this.steps[from] ?? null);
  }

  get diffMode(): DiffMode {
    return this._diffMode;
  }
  set diffMode(value: DiffMode) {
    if (value !== this._diffMode) {
      this._diffMode = value;
      this._emit();
    }
  }

  /** The type of the active cell, or null if there is none. */
  get activeType(): string | null {
    return this._subject.cell?.type ?? null;
  }

  /** What is known of the model with this id. */
  modelInfo(id: string): ModelInfo | null {
    return this._models.get(id);
  }

  /** Ask again for what the view shows. */
  refresh(): void {
    if (this._view === 'cell') {
      this._steps.refresh();
    } else if (this._view === 'search') {
      this.search.refresh();
    } else {
      this.overview.refresh();
      this.timeline.refresh();
    }
  }

  /** What went wrong in the view that is looked at. */
  get problem(): IFailure | null {
    const inNotebook = this.overview.error ?? this.timeline.error;
    return {
      cell: this.error,
      notebook: inNotebook,
      search: this.search.error
    }[this._view];
  }

  /** The MIME type of the notebook's code cells. */
  get codeMimeType(): string {
    return this._subject.codeMimeType;
  }

  /** Whether cells that are gone can be brought back. */
  get canBringBack(): boolean {
    return this._subject.canBringBack;
  }

  /** Whether a cell is in the notebook now. */
  isThere(cellId: string): boolean {
    return this._subject.cells().some(cell => cell.id === cellId);
  }

  /** Bring a cell back, and show it; whether that was done. */
  async bringBack(cellId: string): Promise<boolean> {
    const isDone = await this.timeline.bringBack(cellId);
    if (isDone) {
      this._steps.pin(null);
      await this._subject.goTo(cellId);
    }
    return isDone;
  }

  /** Show what a search found: at its step, in its notebook. */
  async openHit(hit: SearchHit): Promise<void> {
    if (!this.search.isHere(hit) && hit.path !== null) {
      await this._openFile?.(hit.path);
    }
    // It may be a copy that carries another id by now: then it is not the one that was meant.
    if (this.search.isHere(hit)) {
      await this.showStep(hit.cellId, { step: hit.step, seq: hit.seq });
    }
  }

  /** A picture of an output, by the name that a run kept of it. */
  picture(sha256: string, signal?: AbortSignal): Promise<Blob> {
    return this._history.blob(sha256, signal);
  }

  /** Show a cell at one of its steps, as soon as they are there. */
  async showStep(cellId: string, place: IStepPlace): Promise<void> {
    const { notebookId } = this._subject;
    this.player.pause();
    if (notebookId !== null) {
      this._wanted.want({ notebookId, cellId }, place);
    }
    this.view = 'cell';
    await this.goTo(cellId);
    this._reach();
  }

  /** Go to a cell; one that is no longer in the notebook is shown here instead. */
  async goTo(cellId: string): Promise<void> {
    if (this._subject.cell?.id === cellId) {
      this._steps.pin(null);
    } else if (this.isThere(cellId)) {
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
    this.actions.dispose();
    this._steps.dispose();
    this.player.dispose();
    this.overview.dispose();
    this.timeline.dispose();
    this.search.dispose();
    Signal.clearData(this);
  }

  private _wake(): void {
    const isIn = (view: ReplayTab) => this._isActive && this._view === view;
    if (!isIn('cell')) {
      this.player.pause();
    }
    this._steps.isActive = isIn('cell');
    this.overview.isActive = isIn('notebook');
    this.timeline.isActive = isIn('notebook');
    this.search.isActive = isIn('search');
  }

  private _onStepsChanged(_: ReplaySteps, change: StepsChange): void {
    const count = this.steps.length;
    if (change === 'cell') {
      this.actions.dismiss();
      this.compare.stop();
      this.player.reset(count, count - 1);
    } else if (change === 'steps') {
      this.player.grow(count);
    } else {
      this._emit();
    }
    this._reach();
  }

  /** Go to the step that somebody wants to see, once its cell is on show. */
  private _reach(): void {
    const isWhole = !this.isLoading && this._steps.isActive;
    const at = this._wanted.reach(this.shown, this.steps, isWhole);
    if (at !== null) {
      this.compare.stop();
      this.player.goTo(at);
    }
  }

  private _onSubjectChanged(_: IReplaySubject, change: SubjectChange): void {
    if (change === 'where') {
      this._wanted.at(this._subject.cell?.id);
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
  private readonly _models: ModelInfos;
  private readonly _openFile: ((path: string) => Promise<void>) | null;
  private readonly _steps: ReplaySteps;
  private _diffMode: DiffMode = 'inline';
  private _isActive = false;
  private _isDisposed = false;
  private _stateChanged = new Signal<this, void>(this);
  private _view: ReplayTab = 'cell';
  private readonly _wanted = new WantedStep();
}

/** Where nobody can be asked, nothing that is not kept is replaced. */
const SILENT: IReplayAsking = {
  mayReplace: async () => false,
  goOn: () => undefined
};
