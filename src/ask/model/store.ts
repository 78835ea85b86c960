/**
 * The data of a cell's generation model, which `RequestSender` and `Decision` change: the state,
 * the last request and the suggestion.
 *
 * Invariant: a disposed store emits no change.
 */
import { Signal } from '@lumino/signaling';

import type { EventBody } from '../../api/types';
import type { IHistory } from '../../tokens';
import { IntentHistory } from './intents';
import { IRequest, recordEvent } from './requestBody';
import type { GenerationApi, IGenerationOptions } from './generationStream';
import { IGenerationState, INITIAL_STATE, ISuggestion, ITarget } from './state';

export class GenerationStore {
  constructor(options: IGenerationOptions) {
    this.api = options.api;
    this.history = options.history;
    this.target = options.target;
  }

  readonly api: GenerationApi;
  readonly history: IHistory;
  readonly target: ITarget;

  /** Emitted when the state changes. */
  readonly changed = new Signal<this, IGenerationState>(this);
  readonly intents = new IntentHistory();

  /** The text of the input field; a new view starts with it. */
  inputText = '';
  /** The last request, stored so that it can be sent again. */
  request: IRequest | null = null;
  /** The complete answer that waits for the person's decision. */
  suggestion: ISuggestion | null = null;
  /** The code of the open suggestion at the time when a request to change it was sent. */
  previousCode = '';
  /** The cell's code when the open suggestion was requested. */
  baseSource: string | null = null;
  isDisposed = false;

  get state(): IGenerationState {
    return this._state;
  }

  /** Whether a request is waiting or streaming. */
  get isBusy(): boolean {
    return this._state.phase === 'waiting' || this._state.phase === 'streaming';
  }

  /** The id that the next turn will probably get from the server. */
  get nextTurn(): number | null {
    return this.suggestion ? this.suggestion.turnId + 1 : this._state.turnId;
  }

  /** Whether the cell has changed since the open suggestion was requested. */
  get isEdited(): boolean {
    const now = this.target.source();
    return now !== null && this.baseSource !== null && now !== this.baseSource;
  }

  set(change: Partial<IGenerationState>): void {
    if (!this.isDisposed) {
      this._state = { ...this._state, ...change };
      this.changed.emit(this._state);
    }
  }

  /** Discard the open request and suggestion; keep the data on the cell and its model. */
  begin(phase: 'idle' | 'editing', draft: string): void {
    const { model, cellModel, failed, branch } = this._state;
    const turnId = this.nextTurn;
    this.suggestion = this.request = null;
    this.set({
      ...INITIAL_STATE,
      model,
      cellModel,
      failed,
      branch,
      turnId,
      phase,
      draft
    });
  }

  /** Record an event that has already happened. If that fails, only a notice is shown. */
  async record(event: EventBody): Promise<boolean> {
    const notice = await recordEvent(this.history, this.target, event);
    if (notice) {
      this.set({ notice });
    }
    return !notice;
  }

  private _state = INITIAL_STATE;
}
