/**
 * The model of the whole sidebar. Invariant: the current step is always a step of the cell
 * `steps.shownCell`, even if the server's responses arrive out of order.
 */
import { VDomModel } from '@jupyterlab/ui-components';

import type { ModelInfo, SearchHit } from '../../api/types';
import { ICellKey, IHistory, isSameCell } from '../../tokens';
import type { IFailure } from '../../state/failure';
import { ActivatableModel, LoadedModel } from './loadedModel';
import { AskAgain, IAskAgainHost } from './again/askAgain';
import { BriefingModel } from './notebook/briefingModel';
import { NotebookNote, NoteApi } from './notebook/note';
import { NotebookTimeline } from './notebook/timeline';
import { NotebookUsage, ReplayOverview } from './notebook/overview';
import { IReplayHost, ReplayActions } from './cell/actions';
import { ReplayPlayer } from './player';
import { isRequestOf } from '../../records/answers';
import { findPosition, IShownStep } from '../../records/fold';
import { ReplaySteps, StepsChange } from './cell/steps';
import type { IReplaySubject, SubjectChange } from './activeCell';
import { SearchModel } from './search';

export type ReplayTab = 'cell' | 'notebook' | 'search';

export type DiffMode = 'inline' | 'split';

/** A reference to a step of a cell: its index, the `seq` of its record, or the id of its turn. */
export interface IStepRef {
  readonly step?: number | null;
  /** The `seq` of the step's record. It is used if no step has the index `step`. */
  readonly seq?: number | null;
  readonly turnId?: number | null;
}

export class ReplayModel extends ActivatableModel {
  constructor(
    readonly subject: IReplaySubject,
    readonly history: IHistory,
    private readonly _host: IReplayHost,
    askAgainHost: IAskAgainHost | null = null,
    noteApi: NoteApi | null = null
  ) {
    super();
    this.steps = new ReplaySteps(subject, history, _host);
    this.overview = new ReplayOverview(subject, history);
    this.timeline = new NotebookTimeline(subject, history);
    this.briefing = new BriefingModel(subject, this.timeline);
    this.usage = new NotebookUsage(subject, history);
    this.note = new NotebookNote(subject, history, noteApi);
    this.search = new SearchModel(subject, history);
    const { player, steps } = this;
    this.actions = new ReplayActions(subject, history, steps, player, _host);
    this.again = new AskAgain(steps, player, askAgainHost);
    subject.changed.connect(this._onSubjectChanged, this);
    this.steps.changed.connect(this._onStepsChanged, this);
    this.steps.stateChanged.connect(this._goToRequestedStep, this);
    this._loadedModelsByTab = {
      cell: [steps],
      notebook: [this.overview, this.timeline, this.usage, this.note],
      search: [this.search]
    };
    this._models = [
      ...Object.values(this._loadedModelsByTab).flat(),
      player,
      this.briefing,
      this.actions,
      this.again
    ];
    this._models.forEach(({ stateChanged }) =>
      stateChanged.connect(() => this.stateChanged.emit(), this)
    );
  }

  /** The player of the cell's steps; the timeline has its own player. */
  readonly player = new ReplayPlayer();
  /** The steps of the active cell, or of a deleted cell that the person opened. */
  readonly steps: ReplaySteps;
  readonly actions: ReplayActions;
  readonly again: AskAgain;
  readonly overview: ReplayOverview;
  readonly timeline: NotebookTimeline;
  readonly briefing: BriefingModel;
  readonly usage: NotebookUsage;
  readonly note: NotebookNote;
  readonly search: SearchModel;

  get selectedTab(): ReplayTab {
    return this._selectedTab;
  }
  set selectedTab(value: ReplayTab) {
    if (value !== this._selectedTab) {
      this._selectedTab = value;
      this._updateActive();
      this.stateChanged.emit();
    }
  }

  get step(): IShownStep | null {
    return this.steps.at(this.player.position);
  }

  get comparedStep(): IShownStep | null {
    const { positionA } = this.player;
    return positionA === null ? null : this.steps.at(positionA);
  }

  get diffMode(): DiffMode {
    return this._diffMode;
  }
  set diffMode(value: DiffMode) {
    if (value !== this._diffMode) {
      this._diffMode = value;
      this.stateChanged.emit();
    }
  }

  /** Return the entry of a model in the list of models; null if it isn't in it or not loaded. */
  modelInfo(id = ''): ModelInfo | null {
    return this.models.get(id) ?? null;
  }

  refresh(): void {
    this._loadedModelsByTab[this._selectedTab].forEach(model =>
      model.refresh()
    );
  }

  get failure(): IFailure | null {
    const models = this._loadedModelsByTab[this._selectedTab];
    return models.find(({ error }) => error)?.error ?? null;
  }

  async undeleteCell(cellId: string): Promise<boolean> {
    const isRestored = await this.timeline.undeleteCell(cellId);
    if (isRestored) {
      this.steps.pin(null);
      await this.subject.goTo(cellId);
    }
    return isRestored;
  }

  get canTakeHistory(): boolean {
    return this.subject.canUndelete && this.subject.cell !== null;
  }

  async takeHistory(): Promise<void> {
    const cellId = this.steps.shownCell?.cellId;
    if (cellId !== undefined && this.subject.takeHistory(cellId)) {
      this.steps.pin(null);
      await this.subject.goTo(cellId);
    }
  }

  /** Show a search result's step, in its notebook if the path is known. */
  async openHit(hit: SearchHit): Promise<void> {
    if (!this.search.isInCurrentNotebook(hit) && hit.path !== null) {
      await this._host.openFile(hit.path);
    }
    // Check again: since the search, another notebook may have been saved under this path.
    if (this.search.isInCurrentNotebook(hit)) {
      await this.showStep(hit.cellId, hit);
    }
  }

  /** Select the cell tab, and show a step of a cell as soon as the cell's steps are loaded. */
  async showStep(
    cellId: string,
    { step, seq, turnId }: IStepRef
  ): Promise<void> {
    const { notebookId } = this.subject;
    this.player.pause();
    if (notebookId !== null) {
      this._requestedStep = { notebookId, cellId, step, seq, turnId };
    }
    this.selectedTab = 'cell';
    await this.goTo(cellId);
    this._goToRequestedStep();
  }

  /** Activate a cell. A deleted cell can't be activated: show its steps in the cell tab instead. */
  async goTo(cellId: string): Promise<void> {
    if (this.subject.cell?.id === cellId) {
      this.steps.pin(null);
    } else if (this.subject.numberOf(cellId) !== null) {
      await this.subject.goTo(cellId);
    } else {
      this.steps.pin(cellId);
      this.selectedTab = 'cell';
    }
  }

  override dispose(): void {
    super.dispose();
    this._models.forEach(model => model.dispose());
  }

  protected override onActiveChanged(): void {
    this.subject.isActive = this.isActive;
    if (this.isActive && !this.models.size) {
      void this._loadModelInfo();
    }
    this._updateActive();
  }

  /** Load the list of all models. After a failure, showing the sidebar again tries again. */
  private async _loadModelInfo(): Promise<void> {
    const list = await this.history.api.models().catch(() => null);
    this.models = new Map(list?.models.map(info => [info.id, info]));
    this.stateChanged.emit();
  }

  private _updateActive(): void {
    if (!this.isActive || this._selectedTab !== 'cell') {
      this.player.pause();
    }
    for (const [tab, models] of Object.entries(this._loadedModelsByTab)) {
      models.forEach(model => {
        model.isActive = this.isActive && tab === this._selectedTab;
      });
    }
  }

  private _onStepsChanged(_: ReplaySteps, change: StepsChange): void {
    const count = this.steps.all.length;
    if (change === 'cell') {
      this.actions.clearLastResult();
      this.player.reset(count, count - 1);
    } else {
      this.player.updateLength(count);
    }
  }

  /**
   * Go to the requested step once its cell's steps are loaded. Drop a request for a missing step.
   */
  private _goToRequestedStep(): void {
    const { _requestedStep: requested, steps } = this;
    if (!requested || !isSameCell(requested, steps.shownCell)) {
      return;
    }
    const position = findStep(steps.all, requested);
    // While newer steps are loading, keep the request: the requested step may be among them.
    if (position >= 0 || (!steps.isLoading && steps.isActive)) {
      this._requestedStep = null;
    }
    if (position >= 0) {
      this.player.compareWith(null);
      this.player.goTo(position);
      const { turnId } = requested;
      if (turnId) {
        steps.showAttempt(steps.all[position], turnId);
      }
    }
  }

  private _onSubjectChanged(_: IReplaySubject, change: SubjectChange): void {
    const isOtherCell = this.subject.cell?.id !== this._requestedStep?.cellId;
    if (change === 'activeCell' && isOtherCell) {
      this._requestedStep = null;
    }
    this.stateChanged.emit();
  }

  models: ReadonlyMap<string, ModelInfo> = new Map();
  private _diffMode: DiffMode = 'inline';
  private _selectedTab: ReplayTab = 'cell';
  private readonly _loadedModelsByTab: Readonly<
    Record<ReplayTab, readonly LoadedModel[]>
  >;
  private readonly _models: readonly VDomModel[];
  /** The step to show once its cell's steps are loaded, unless another cell becomes active. */
  private _requestedStep: (ICellKey & IStepRef) | null = null;
}

function findStep(
  steps: readonly IShownStep[],
  { step, seq, turnId }: IStepRef
): number {
  const position = findPosition(
    steps,
    (candidate, index) =>
      index === step || (!!turnId && isRequestOf(candidate, turnId))
  );
  return position < 0 && typeof seq === 'number'
    ? findPosition(steps, candidate => candidate.seq === seq)
    : position;
}
