/**
 * Generations in one cell, as a state machine.
 *
 *     idle ── open ──> editing ── ask ──> waiting ── token ──> streaming ── done ──> suggested
 *                        ^                  │                     │            accept, reject
 *                        └── failed, stopped <────────────────────┘                └──> idle
 *
 * Views use only this model, which also opens and closes the prompt row. `RequestSender` sends the
 * requests, and `Decision` accepts or rejects the suggestion. Both change the model's data, which
 * the base class `GenerationStore` contains.
 *
 * Invariant: neither an arriving answer nor a pressed button discards text that a person has typed.
 */
import { Signal } from '@lumino/signaling';

import type { IBranch } from '../../records/branch';
import type { DataFrameProfile } from '../../api/types';
import { IHistory, IRecording, ISessionChange, isSameCell } from '../../tokens';
import { isModelFailure } from '../../state/failure';
import { IRequest, loadPastTurns, warmUp } from './requestBody';
import { Decision } from './decision';
import type { IGenerationOptions } from './generationStream';
import { RequestSender } from './requestSender';
import { applyModelList } from './state';
import { GenerationStore } from './store';

export class GenerationModel extends GenerationStore {
  constructor(options: IGenerationOptions) {
    super(options);
    options.history.recording.connect(this._onRecorded, this);
    options.history.changed.connect(this._onHistoryChanged, this);
  }

  readonly decision = new Decision(this);

  /** Open the prompt row and warm up a local model. */
  open(): void {
    if (this.state.phase !== 'idle') {
      return;
    }
    this.set({ phase: 'editing', notice: null, failure: null });
    void this._prepare();
  }

  /** Close the prompt row. When the row is opened again, its field contains `draft`. */
  close(draft = ''): void {
    if (!this.isBusy) {
      this.inputText = draft;
      this.begin('idle', draft);
    }
  }

  /** Set the DataFrames of the next request. */
  setDataFrames(dataframes: readonly DataFrameProfile[]): void {
    this.set({ dataframes });
  }

  /** Let the next request continue from an older turn, whose version the cell contains. */
  branchFrom(branch: IBranch | null): void {
    if (this.isBusy) {
      this.set({ notice: 'busy' });
      return;
    }
    if (this.state.phase === 'suggested' && branch !== null) {
      // The open suggestion belongs to another branch. Close it: it stays in the history,
      // undecided.
      this.begin('editing', this.inputText);
    }
    this.set({ branch });
  }

  /** Choose the model for this cell only; null selects the default model. */
  setCellModel(id: string | null): void {
    this.set({ cellModel: id });
    void this.refreshModel();
  }

  /** Clear the failure of a model after its settings were fixed. */
  clearModelFailure(): void {
    const { failure } = this.state;
    if (failure && isModelFailure(failure)) {
      this.set({ failure: null });
    }
  }

  /** Update the model that the open row shows. Ignores errors, which the next request reports. */
  async refreshModel(): Promise<void> {
    const isOpen = this.state.phase !== 'idle';
    const { api } = this.history;
    const list = isOpen && (await api.models().catch(() => null));
    if (list) {
      this.set(applyModelList(this.state, list));
    }
  }

  /**
   * Ask for code. While a suggestion is open, the request asks for a change of the suggestion; the
   * diff still compares with the cell's own code.
   */
  async ask(intent: string): Promise<void> {
    await this._sender.send(this.buildRequest(intent));
  }

  /** Build the request that `ask` would send for this intent. */
  buildRequest(intent: string): IRequest {
    return this._sender.buildRequest(intent);
  }

  /** Send the last request again. If no request was sent, look for a model again. */
  async retry(): Promise<void> {
    const { request } = this;
    return request ? this._sender.retry(request) : this._prepare();
  }

  /** Stop the generation that another page runs for this cell, then send the request again. */
  takeOver(): Promise<void> {
    return this._sender.takeOver();
  }

  /** Stop the generation. The state changes at once; the server records the turn as cancelled. */
  stop(): void {
    this._sender.stop();
  }

  /** Start a new conversation: earlier turns stay in the history but are no longer sent. */
  async reset(): Promise<void> {
    if (this.isBusy) {
      this.set({ notice: 'busy' });
    } else if (await this.record({ type: 'context_reset' })) {
      this.set({ notice: 'reset' });
    }
  }

  /** Dispose of the model; this aborts a running generation. */
  dispose(): void {
    if (!this.isDisposed) {
      this.isDisposed = true;
      this._sender.dispose();
      Signal.clearData(this);
    }
  }

  /** Load the model list and the past turns, and warm up the model. Errors are ignored. */
  private async _prepare(): Promise<void> {
    const warm = warmUp(this.api, this.target, this.state.cellModel);
    const models = this.refreshModel();
    await Promise.allSettled([warm, models, this._loadPastTurns()]);
  }

  /** Close the suggestion after a decision in the replay or in another view of the notebook. */
  private _onRecorded(_: IHistory, { key, events }: IRecording): void {
    if (isSameCell(this.target.key(), key)) {
      for (const { type, turnId } of events) {
        if (type === 'accept' || type === 'reject') {
          this.decision.close(turnId);
        }
      }
    }
  }

  /** Check for a decision after another page of a shared notebook wrote this cell's session. */
  private _onHistoryChanged(_: IHistory, session: ISessionChange): void {
    if (session.isRemote && isSameCell(this.target.key(), session)) {
      void this.decision.refresh();
    }
  }

  private async _loadPastTurns(): Promise<void> {
    const key = this.target.key();
    if (!key || this._hasLoadedPastTurns) {
      return;
    }
    const past = await loadPastTurns(this.history, key);
    this._hasLoadedPastTurns = true; // After an error, the next opening tries again.
    this.intents.addOlder(past.intents);
    this.set({ failed: [...past.failed, ...this.state.failed] });
    if (!this.isBusy && this.state.turnId === null && past.last) {
      this.set({ turnId: past.last + 1 });
    }
  }

  private readonly _sender = new RequestSender(this);
  private _hasLoadedPastTurns = false;
}
