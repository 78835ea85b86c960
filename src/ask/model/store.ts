/**
 * What the parts of the asking in one cell share: its state, what is open in it, and whom it
 * concerns.
 *
 * What must hold: once disposed, nothing more is told of it.
 */
import type { EventBody } from '../../api/types';
import type { IHistory } from '../../tokens';
import { IRequest, note } from './requestBody';
import type { GenerationApi, IGenerationOptions } from './run';
import {
  IGenerationState,
  INITIAL,
  ISuggestion,
  ITarget,
  begun
} from './state';

export class GenerationStore {
  constructor(
    options: IGenerationOptions,
    private readonly _tell: (state: IGenerationState) => void
  ) {
    this.api = options.api;
    this.history = options.history;
    this.target = options.target;
  }

  readonly api: GenerationApi;
  readonly history: IHistory;
  readonly target: ITarget;

  /** What stands in the text field. */
  written = '';
  /** What was asked last, so that it can be asked again. */
  request: IRequest | null = null;
  /** The whole answer that waits for a decision. */
  suggestion: ISuggestion | null = null;
  /** What was on view of the suggestion when a further request was sent. */
  shown = '';
  /** What the cell held when the open suggestion was begun. */
  base: string | null = null;
  isDisposed = false;

  get state(): IGenerationState {
    return this._state;
  }

  /** Whether an answer is on its way. */
  get isBusy(): boolean {
    return this._state.phase === 'waiting' || this._state.phase === 'streaming';
  }

  /** The turn that comes next, as far as is known; the server's word counts. */
  get nextTurn(): number | null {
    return this.suggestion ? this.suggestion.turnId + 1 : this._state.turnId;
  }

  /** Whether the cell holds something else than when the open suggestion was begun. */
  get isEdited(): boolean {
    const now = this.target.source();
    return now !== null && this.base !== null && now !== this.base;
  }

  set(change: Partial<IGenerationState>): void {
    if (!this.isDisposed) {
      this._state = { ...this._state, ...change };
      this._tell(this._state);
    }
  }

  /** Leave what is open, if anything is. */
  begin(phase: 'idle' | 'asking', draft: string): void {
    const turnId = this.nextTurn;
    this.suggestion = this.request = null;
    this.set(begun(this._state, phase, draft, turnId));
  }

  /** Record what the person did. It is done already, so a failure is only told. */
  async record(event: EventBody): Promise<boolean> {
    const notice = await note(this.history, this.target, event);
    if (notice) {
      this.set({ notice });
    }
    return !notice;
  }

  private _state = INITIAL;
}
