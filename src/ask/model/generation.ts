/**
 * The asking in one cell, as a state machine.
 *
 *     idle ── open ──> asking ── ask ──> waiting ── token ──> streaming ── done ──> suggested
 *                        ^                  │                     │            accept, reject
 *                        └── failed, stopped <────────────────────┘                └──> idle
 *
 * This is what views know of it, and how its row opens and closes; requests are sent by `Sending`,
 * and what becomes of a suggestion is the `Decision`.
 *
 * What must hold: what a person wrote is never dropped by what a stream or a button does.
 */
import { ISignal, Signal } from '@lumino/signaling';

import type { IBranch } from '../../records/branch';
import type { DataFrameProfile } from '../../api/types';
import type {
  ICellKey,
  IHistory,
  IRecording,
  ISessionChange
} from '../../tokens';
import { isModelFailure } from '../../state/failure';
import { IRequest, pastTurns, warmUp } from './requestBody';
import { Decision } from './decision';
import type { IGenerationOptions } from './run';
import { Sending } from './sending';
import { IGenerationState, ITarget, withModels } from './state';
import { GenerationStore } from './store';
import { IntentHistory } from './intents';

export class GenerationModel {
  constructor(options: IGenerationOptions) {
    this.target = options.target;
    this._store = new GenerationStore(options, state =>
      this._changed.emit(state)
    );
    this._sending = new Sending(this._store, this.intents);
    this._decision = new Decision(this._store);
    options.history.recording.connect(this._onRecorded, this);
    options.history.changed.connect(this._onWritten, this);
  }

  readonly target: ITarget;
  readonly intents = new IntentHistory();

  /** What stands in the text field: a view that is made anew goes on from it. */
  get written(): string {
    return this._store.written;
  }
  set written(text: string) {
    this._store.written = text;
  }

  get state(): IGenerationState {
    return this._store.state;
  }

  get changed(): ISignal<this, IGenerationState> {
    return this._changed;
  }

  get isDisposed(): boolean {
    return this._store.isDisposed;
  }

  /** Whether an answer is on its way. */
  get isBusy(): boolean {
    return this._store.isBusy;
  }

  /** Open the row, and let a model on this machine get ready meanwhile. */
  open(): void {
    if (this.state.phase !== 'idle') {
      return;
    }
    this._store.set({ phase: 'asking', notice: null, failure: null });
    void this._prepare();
  }

  /** Close the row. What was written in it is kept for the next time. */
  close(draft = ''): void {
    if (!this.isBusy) {
      this.written = draft;
      this._store.begin('idle', draft);
    }
  }

  /** Say which DataFrames the next request is about. */
  setDataFrames(dataframes: readonly DataFrameProfile[]): void {
    this._store.set({ dataframes });
  }

  /** Let the next request continue from an older one, whose version the cell holds. */
  branchFrom(branch: IBranch | null): void {
    if (this.isBusy) {
      this._store.set({ notice: 'busy' });
      return;
    }
    if (this.state.phase === 'suggested' && branch !== null) {
      // What was open is of another line: it stays in the history, and nobody decided on it.
      this._store.begin('asking', this.written);
    }
    this._store.set({ branch });
  }

  /** Let a model answer in this cell alone; null: the one that answers everywhere. */
  useModel(id: string | null): void {
    this._store.set({ cellModel: id });
    void this.lookForModel();
  }

  /** What a model failed by was mended: its failure is of before. */
  mended(): void {
    const { failure } = this.state;
    if (failure && isModelFailure(failure)) {
      this._store.set({ failure: null });
    }
  }

  /** Learn which model answers in the open row. Quietly: whoever asks is told what fails. */
  async lookForModel(): Promise<void> {
    const { history } = this._store;
    const isOpen = this.state.phase !== 'idle';
    const list = isOpen && (await history.models().catch(() => null));
    if (list) {
      this._store.set(withModels(this.state, list));
    }
  }

  /**
   * Ask for code. While a suggestion is open the request builds on it, and what is shown
   * stays a change of the cell's own code.
   */
  async ask(intent: string): Promise<void> {
    await this._sending.send(this.requestOf(intent));
  }

  /** What asking with these words would ask. */
  requestOf(intent: string): IRequest {
    return this._sending.requestOf(intent);
  }

  /** Send the last request once more; or look for a model again. */
  async again(): Promise<void> {
    const { request } = this._store;
    return request ? this._sending.again(request) : this._prepare();
  }

  /** Stop the generation that another tab runs for this cell, then ask again. */
  takeOver(): Promise<void> {
    return this._sending.takeOver();
  }

  /** Stop. The person sees it at once; the server ends the turn as cancelled. */
  stop(): void {
    this._sending.stop();
  }

  /** Take parts of the suggestion back, or bring them again: what Accept will write. */
  revise(code: string): void {
    this._decision.revise(code);
  }

  /** Whether parts of the suggestion were taken back. */
  get isRevised(): boolean {
    return this._decision.isRevised;
  }

  /** Bring back the parts that were taken back. */
  restoreSuggestion(): void {
    this._decision.restore();
  }

  /** Write the suggestion into the cell; whether that was done. */
  accept(): Promise<boolean> {
    return this._decision.accept();
  }

  /** Leave the cell as it is, and say so in its history. */
  reject(): Promise<void> {
    return this._decision.reject();
  }

  /** Close a suggestion on which another window has decided. */
  refreshDecision(): Promise<void> {
    return this._decision.refresh();
  }

  /** The cell's code was changed by another hand than Accept: the suggestion is of before. */
  sourceChanged(): void {
    this._decision.sourceChanged();
  }

  /** Start afresh: the turns so far are no longer told to the model, but kept. */
  async reset(): Promise<void> {
    if (this.isBusy) {
      this._store.set({ notice: 'busy' });
    } else if (await this._store.record({ type: 'context_reset' })) {
      this._store.set({ notice: 'reset' });
    }
  }

  /** Leave it: a running generation is stopped by going away. */
  dispose(): void {
    if (!this.isDisposed) {
      this._store.isDisposed = true;
      this._sending.dispose();
      Signal.clearData(this);
    }
  }

  /** Learn which model answers and what was asked before; warm the model. All quietly. */
  private async _prepare(): Promise<void> {
    const warm = warmUp(this._store.api, this.target, this.state.cellModel);
    const models = this.lookForModel();
    await Promise.allSettled([warm, models, this._recall()]);
  }

  /** A decision may be made in the replay, or in another view of the notebook. */
  private _onRecorded(_: IHistory, { key, events }: IRecording): void {
    if (this._isOwn(key)) {
      for (const { type, turnId } of events) {
        if (type === 'accept' || type === 'reject') {
          this._decision.close(turnId);
        }
      }
    }
  }

  /** Another window of a shared notebook wrote into this cell's history. */
  private _onWritten(_: IHistory, written: ISessionChange): void {
    if (written.isRemote && this._isOwn(written)) {
      void this._decision.refresh();
    }
  }

  private _isOwn({ notebookId, cellId }: ICellKey): boolean {
    const { target } = this;
    return cellId === target.cellId && notebookId === target.notebookId();
  }

  private async _recall(): Promise<void> {
    const notebookId = this.target.notebookId();
    if (!notebookId || this._recalled) {
      return;
    }
    const { cellId } = this.target;
    const past = await pastTurns(this._store.history, { notebookId, cellId });
    this._recalled = true; // Where that failed, the row asks when it is opened again.
    this.intents.addOlder(past.intents);
    this._store.set({ failed: [...past.failed, ...this.state.failed] });
    if (!this.isBusy && this.state.turnId === null && past.last) {
      this._store.set({ turnId: past.last + 1 });
    }
  }

  private readonly _store: GenerationStore;
  private readonly _sending: Sending;
  private readonly _decision: Decision;
  private readonly _changed = new Signal<this, IGenerationState>(this);
  private _recalled = false;
}
