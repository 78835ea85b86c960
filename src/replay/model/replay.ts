/**
 * The replay's state: the steps of a cell, the current step, the comparison, and the models of the
 * other tabs.
 *
 * Invariants: the current step always belongs to the cell that `steps.shown` names, in whatever
 * order the server's responses arrive.
 */
import { VDomModel } from '@jupyterlab/ui-components';

import type { ModelInfo, SearchHit } from '../../api/types';
import { ICellKey, IHistory, isSameCell } from '../../tokens';
import type { IFailure } from '../../state/failure';
import { ActivatableModel, LoadedModel } from './loadedModel';
import { NotebookTimeline } from './notebook/timeline';
import { IReplayHost, ReplayActions } from './cell/actions';
import { StepComparison } from './cell/compare';
import { findPosition, IShownStep } from '../../records/fold';
import { ReplayOverview } from './notebook/overview';
import { ReplayPlayer } from './player';
import { ReplaySteps, StepsChange } from './cell/steps';
import type { IReplaySubject } from './activeCell';
import type { SubjectChange } from './subject';
import { SearchModel } from './search';

/** The sidebar's tabs. `cell`: one cell's steps · `notebook`: its timeline · `search`: all turns. */
export type ReplayTab = 'cell' | 'notebook' | 'search';

/** The layout of a comparison. `inline`: in one column · `split`: side by side. */
export type DiffMode = 'inline' | 'split';

/** A reference to a step of a cell, by its index or by the record that it was read from. */
export interface IStepRef {
  /** The index among the steps that the server returned; null if it isn't known. */
  readonly step?: number | null;
  /** The `seq` of the step's record, used if no step has that index. */
  readonly seq?: number | null;
}

export class ReplayModel extends ActivatableModel {
  constructor(options: {
    subject: IReplaySubject;
    history: IHistory;
    host: IReplayHost;
  }) {
    super();
    this.subject = options.subject;
    this.history = options.history;
    this._host = options.host;
    this.steps = new ReplaySteps(options);
    this.overview = new ReplayOverview(options);
    this.timeline = new NotebookTimeline(options);
    this.search = new SearchModel(options);
    const { player, steps } = this;
    this.actions = new ReplayActions({ ...options, steps, player });
    this.subject.changed.connect(this._onSubjectChanged, this);
    this.steps.changed.connect(this._onStepsChanged, this);
    this.steps.stateChanged.connect(this._goToRequested, this);
    this._tabs = {
      cell: [steps],
      notebook: [this.overview, this.timeline],
      search: [this.search]
    };
    this._models = [
      ...Object.values(this._tabs).flat(),
      player,
      this.compare,
      this.actions
    ];
    this._models.forEach(({ stateChanged }) =>
      stateChanged.connect(() => this.stateChanged.emit(), this)
    );
  }

  readonly subject: IReplaySubject;
  readonly history: IHistory;
  readonly player = new ReplayPlayer();
  readonly compare = new StepComparison(this.player);
  /** The steps of the active cell, or of a deleted cell that the person selected. */
  readonly steps: ReplaySteps;
  readonly actions: ReplayActions;
  readonly overview: ReplayOverview;
  readonly timeline: NotebookTimeline;
  readonly search: SearchModel;

  /** The selected tab. */
  get view(): ReplayTab {
    return this._view;
  }
  set view(value: ReplayTab) {
    if (value !== this._view) {
      this._view = value;
      this._updateActive();
      this.stateChanged.emit();
    }
  }

  /** The current step. */
  get step(): IShownStep | null {
    return this.steps.all[this.player.position] ?? null;
  }

  /** The step that the current step is compared with; null while no steps are compared. */
  get compared(): IShownStep | null {
    const { from } = this.compare;
    return from === null ? null : (this.steps.all[from] ?? null);
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

  /** Return the language model with this id; null if it is unknown or not loaded yet. */
  modelInfo(id = ''): ModelInfo | null {
    return this._modelInfoById.get(id) ?? null;
  }

  /** Reload the content of the selected tab. */
  refresh(): void {
    this._tabs[this._view].forEach(content => content.refresh());
  }

  /** The failure in the selected tab; null if there is none. */
  get failure(): IFailure | null {
    return this._tabs[this._view].find(({ error }) => error)?.error ?? null;
  }

  /** Restore a deleted cell and activate it; resolves with whether it was restored. */
  async undeleteCell(cellId: string): Promise<boolean> {
    const isRestored = await this.timeline.undeleteCell(cellId);
    if (isRestored) {
      this.steps.pin(null);
      await this.subject.goTo(cellId);
    }
    return isRestored;
  }

  /** Open the notebook of a search result, and show the step that was found. */
  async openHit(hit: SearchHit): Promise<void> {
    if (!this.search.isInCurrentNotebook(hit) && hit.path !== null) {
      await this._host.openFile(hit.path);
    }
    // Another notebook, with another id, may have replaced the file since the search.
    if (this.search.isInCurrentNotebook(hit)) {
      await this.showStep(hit.cellId, { step: hit.step, seq: hit.seq });
    }
  }

  /** Fetch the image of a run's output by its SHA-256, which is in the run's record. */
  fetchImage(sha256: string, signal?: AbortSignal): Promise<Blob> {
    return this.history.api.blob(sha256, signal);
  }

  /** Show a step of a cell as soon as the cell's steps are loaded. */
  async showStep(cellId: string, ref: IStepRef): Promise<void> {
    const { notebookId } = this.subject;
    this.player.pause();
    if (notebookId !== null) {
      this._requested = { notebookId, cellId, ...ref };
    }
    this.view = 'cell';
    await this.goTo(cellId);
    this._goToRequested();
  }

  /** Activate a cell; show a deleted cell, which can't be activated, in the sidebar only. */
  async goTo(cellId: string): Promise<void> {
    if (this.subject.cell?.id === cellId) {
      this.steps.pin(null);
    } else if (this.subject.numberOf(cellId) !== null) {
      await this.subject.goTo(cellId);
    } else {
      this.steps.pin(cellId);
      this.view = 'cell';
    }
  }

  override dispose(): void {
    super.dispose();
    this._models.forEach(model => model.dispose());
  }

  /** Activate only the models of the selected tab. */
  protected override onActiveChanged(): void {
    this.subject.isActive = this.isActive;
    if (this.isActive && !this._modelInfoById.size) {
      void this._loadModelInfo();
    }
    this._updateActive();
  }

  /** Load the names and locations of language models: a step contains only its model's id. */
  private async _loadModelInfo(): Promise<void> {
    // After a failure the next activation tries again.
    const list = await this.history.api.models().catch(() => null);
    this._modelInfoById = new Map(list?.models.map(info => [info.id, info]));
    this.stateChanged.emit();
  }

  private _updateActive(): void {
    if (!this.isActive || this._view !== 'cell') {
      this.player.pause();
    }
    for (const [tab, contents] of Object.entries(this._tabs)) {
      contents.forEach(content => {
        content.isActive = this.isActive && tab === this._view;
      });
    }
  }

  private _onStepsChanged(_: ReplaySteps, change: StepsChange): void {
    const count = this.steps.all.length;
    if (change === 'cell') {
      this.actions.dismiss();
      this.compare.stop();
      this.player.reset(count, count - 1);
    } else if (change === 'steps') {
      this.player.grow(count);
    }
  }

  /** Go to the requested step if it is loaded; forget it if the loaded steps don't contain it. */
  private _goToRequested(): void {
    const { _requested: requested, steps } = this;
    if (!requested || !isSameCell(requested, steps.shown)) {
      return;
    }
    const position = positionOf(steps.all, requested);
    if (position >= 0 || (!steps.isLoading && steps.isActive)) {
      this._requested = null;
    }
    if (position >= 0) {
      this.compare.stop();
      this.player.goTo(position);
    }
  }

  private _onSubjectChanged(_: IReplaySubject, change: SubjectChange): void {
    const isOtherCell = this.subject.cell?.id !== this._requested?.cellId;
    if (change === 'activeCell' && isOtherCell) {
      this._requested = null;
    }
    this.stateChanged.emit();
  }

  private readonly _host: IReplayHost;
  private _diffMode: DiffMode = 'inline';
  private _modelInfoById = new Map<string, ModelInfo>();
  private _view: ReplayTab = 'cell';
  /** The models that load the content of each tab. */
  private readonly _tabs: Readonly<Record<ReplayTab, readonly LoadedModel[]>>;
  /** The models that the views draw. */
  private readonly _models: readonly VDomModel[];
  /** The step to go to once it is loaded; null if there is none or another cell is activated. */
  private _requested: (ICellKey & IStepRef) | null = null;
}

/** Find a step by its index, or by the `seq` of its record if no step has that index. */
function positionOf(
  steps: readonly IShownStep[],
  { step, seq }: IStepRef
): number {
  const position = findPosition(steps, (_, index) => index === step);
  return position < 0 && typeof seq === 'number'
    ? findPosition(steps, candidate => candidate.seq === seq)
    : position;
}
