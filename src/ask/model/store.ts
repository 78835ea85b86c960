/**
 * The base class of `GenerationModel`, which manages the requests of one cell. The base class
 * contains the data: the state, the last request and the suggestion. `RequestSender` and `Decision`
 * change this data.
 *
 * Invariant: after the store is disposed of, the state doesn't change and no signal is emitted.
 */
import { IAnswer, shownState, withAnswer, withShown } from './answers/answers';
import { Signal } from '@lumino/signaling';

import type { DataFrameProfile, EventBody, Mention } from '../../api/types';
import type { ICheckedRequest, IProblem } from '../../kernel/check';
import type { IVariable } from '../../kernel/variables';
import type { IHistory } from '../../tokens';
import { countOverwrittenLines } from './handwrittenLines';
import { namedFrames, relevantVariables } from './context/attachments';
import { withCurrentFrames } from './context/currentFrames';
import { IntentHistory } from './intents';
import { exampleMention } from './pastAnswers/insertion';
import { PastAnswerOffer } from './pastAnswers/pastAnswerOffer';
import { RowMemory } from './remember/rowMemory';
import { IRequest, recordEvent, warmUp } from './requestBody';
import type { GenerationApi, IGenerationOptions } from './generationStream';
import { IMention, mentionsIn, withChoice } from './context/mentions';
import { withLevels } from './context/privacyLevels';
import { ILineRange, lineRange } from './context/selection';
import { IGenerationState, INITIAL_STATE, ITarget } from './state';
import type { ISuggestion } from './suggestion';

/** The modes that ask only for additions to the code, so that the check reports other changes. */
const ADDITIVE_MODES = ['document', 'test'];

export class GenerationStore {
  constructor(options: IGenerationOptions) {
    this.api = options.api;
    this.history = options.history;
    this.target = options.target;
    this.storesPrompts = options.storesPrompts ?? (() => true);
    this.memory = options.memory ? new RowMemory(this, options.memory) : null;
    this.pastAnswers = options.pastAnswers
      ? new PastAnswerOffer(this, options.pastAnswers)
      : null;
  }

  readonly api: GenerationApi;
  readonly history: IHistory;
  readonly target: ITarget;
  /** Return whether the messages that models get are stored with the turns. */
  readonly storesPrompts: () => boolean;
  /** The texts that requests ask to remember; null if there are no memories. */
  readonly memory: RowMemory | null;
  /** Offers answers of other notebooks; null if there are no memories. */
  readonly pastAnswers: PastAnswerOffer | null;

  /** Emitted when the state changes. */
  readonly changed = new Signal<this, IGenerationState>(this);
  /** The texts of earlier requests. */
  readonly intents = new IntentHistory();

  /** The text of the input field. A recreated view starts with this text. */
  inputText = '';
  /** The last request, stored so that it can be sent again. */
  request: IRequest | null = null;
  /** The request whose answer `suggestion` is; the last one if no suggestion is open. */
  answeredRequest: IRequest | null = null;
  /** All answers to the open request, in the order in which they arrived. */
  answers: readonly IAnswer[] = [];
  /** The complete answer that waits for the person's decision. */
  suggestion: ISuggestion | null = null;
  /**
   * The id of the last turn that was answered in words while the suggestion was open; null if there
   * is no such turn. The next request continues from this turn.
   */
  wordsTurnId: number | null = null;
  /**
   * The value of `state.code` when the last request was sent. If a suggestion was open and the
   * request yields no new suggestion, the old suggestion is shown again with this code.
   */
  previousCode = '';
  /**
   * The cell's code when the suggestion was requested; null if the cell was deleted. Later requests
   * to change the open suggestion don't update this field.
   */
  baseSource: string | null = null;
  sentMentions: Mention[] = []; // with the last request
  isDisposed = false;
  /** Whether a request was begun since the row was opened. */
  hasBegun = false;

  get state(): IGenerationState {
    return this._state;
  }

  /** Whether a request is waiting or streaming, or accepted code is running. */
  get isBusy(): boolean {
    return this.isGenerating || this._state.phase === 'running';
  }

  /** Whether a request is waiting or streaming. */
  get isGenerating(): boolean {
    return this._state.phase === 'waiting' || this._state.phase === 'streaming';
  }

  /** The id that the next turn will probably get from the server. */
  get nextTurnId(): number | null {
    const { phase, turnId } = this._state;
    const turnIds = this.answers.map(({ suggestion }) => suggestion.turnId);
    const lastTurnId = this.suggestion?.turnId
      ? Math.max(this.wordsTurnId ?? 0, this.suggestion.turnId, ...turnIds)
      : phase === 'answered'
        ? turnId
        : null;
    return lastTurnId === null ? turnId : lastTurnId + 1;
  }

  /** Whether the cell has changed since the suggestion was requested (see `baseSource`). */
  get isCellEdited(): boolean {
    const source = this.target.source();
    return (
      source !== null && this.baseSource !== null && source !== this.baseSource
    );
  }

  /** Whether the open suggestion, as it is shown, equals the cell's code: nothing can be accepted. */
  get changesNothing(): boolean {
    const { phase, code } = this._state;
    return (
      phase === 'suggested' &&
      this.target.source()?.trimEnd() === code.trimEnd()
    );
  }

  /**
   * The selected lines, to which the next request is limited; null if it may change the whole cell.
   * If a suggestion is open, these are lines of the suggestion.
   */
  get selectedLines(): ILineRange | null {
    return this.selectedLinesOf(this._currentSource);
  }

  /** Return the lines of this source, the cell's or a suggestion's, that a request may change. */
  selectedLinesOf(source: string): ILineRange | null {
    const { selection } = this._state;
    return selection && lineRange(selection, source);
  }

  /**
   * Build the request that would be sent now for this intent. `typed` is the part of the intent that
   * the person has typed, in which mentions count.
   */
  buildRequest(intent: string, typed = intent): IRequest {
    const { suggestion, state, target } = this;
    const answer = this.pastAnswers?.example;
    const example = answer ? exampleMention(answer) : undefined;
    return {
      intent: intent.trim(),
      typed,
      ...(example && { example }),
      source: suggestion ? state.code : (target.source() ?? ''),
      parentTurnId:
        this.wordsTurnId ?? (suggestion?.turnId || state.branch?.turnId),
      dataframes: withLevels(state.dataframes, state.levels),
      attached: {
        frames: this.attachedFrames(intent),
        variables: this.attachedVariables(intent),
        detached: this._state.detached
      },
      selection: this.selectedLines,
      mentions: this.mentionsOf({ typed, example })
    };
  }

  /** Return what a request mentions now, and before it the request's example. */
  mentionsOf({
    typed = '',
    example
  }: Pick<IRequest, 'typed' | 'example'>): IMention[] {
    const mentions = this.mentions(typed);
    return example ? [example, ...mentions] : mentions;
  }

  /** Return the kernel's DataFrames to attach automatically to a request with this intent. */
  attachedFrames(intent: string): DataFrameProfile[] {
    const { kernel, dataframes, detached, levels } = this._state;
    const chosen = dataframes.map(({ name }) => name);
    const excluded = new Set([...detached, ...chosen]);
    const frames = namedFrames(kernel, this._textsOf(intent));
    const attached = frames.filter(({ name }) => !excluded.has(name));
    return withLevels(attached, levels);
  }

  /** Return the variables, other than DataFrames, to describe in a request with this intent. */
  attachedVariables(intent: string): IVariable[] {
    return relevantVariables(this._state.kernel, this._textsOf(intent));
  }

  /** Return what a request with this intent mentions by `@`, such as `@cell3`. */
  mentions(intent: string): IMention[] {
    const { kernel, shared } = this._state;
    return mentionsIn(intent, this.target, kernel).map(mention =>
      withChoice(mention, shared)
    );
  }

  /** Let a local model read the cell and its context now, so that it answers the request sooner. */
  warmUp(): Promise<void> {
    const { api, inputText, selectedLines, target } = this;
    const attached = {
      frames: this.attachedFrames(inputText),
      variables: this.attachedVariables(inputText),
      detached: this._state.detached
    };
    return warmUp(api, target, this._state.cellModel, attached, selectedLines);
  }

  /**
   * Check the open suggestion's code in the kernel, and count the lines written by hand that the
   * code would overwrite. The code can be accepted during the check.
   *
   * Return the problems; null if no suggestion is open, if the kernel can't check the code, or if
   * the suggestion was closed or changed during the check.
   */
  async check(): Promise<readonly IProblem[] | null> {
    const { phase, code } = this._state;
    if (phase === 'suggested') {
      void this._countOverwrittenLines(code);
    }
    const result =
      phase === 'suggested'
        ? await this.target.checkSuggestion(code, this._checkedRequest)
        : null;
    const { phase: now, code: current } = this._state;
    if (!result || now !== 'suggested' || code !== current) {
      return null;
    }
    this.setState(result);
    return result.problems;
  }

  /** Set the suggestion to an answer to `request`. */
  setAnswer(answer: ISuggestion): void {
    const { answers, suggestion, state } = this;
    const isChange = this.request?.isChange;
    if (isChange) {
      // “Regenerate” repeats the person's request, not the one to change its answer.
      this.request = this.answeredRequest;
    }
    const { request } = this;
    if (request) {
      const { askedModel: model } = state;
      const added = { suggestion: answer, request, model, shown: null };
      this.answers = withAnswer(answers, added, isChange && !!suggestion);
    }
    this.suggestion = answer;
    this.answeredRequest = this.request;
    this.wordsTurnId = null;
    if (answer.mode !== 'repair') {
      this._mode = answer.mode ?? '';
    }
  }

  /** Store what is shown of the open suggestion, because another answer will be shown instead. */
  keepShown(): void {
    const { answers, suggestion, state } = this;
    this.answers = withShown(answers, suggestion?.turnId, shownState(state));
  }

  /** The answered request, if its mode asks only for additions to the code. */
  private get _checkedRequest(): ICheckedRequest | undefined {
    const source = this.answeredRequest?.source;
    const isChecked = source && ADDITIVE_MODES.includes(this._mode);
    return isChecked ? { source, mode: this._mode } : undefined;
  }

  /** Change some fields of the state, and emit `changed`. */
  setState(change: Partial<IGenerationState>): void {
    if (!this.isDisposed) {
      this._state = { ...this._state, ...change };
      this.changed.emit(this._state);
    }
  }

  /** Remove what was read from the kernel, because it has restarted or is another one. */
  clearKernel(): void {
    const { kernel } = this._state;
    this.setState({
      kernel: { ...kernel, frames: [], variables: [] },
      ...withCurrentFrames(this._state, []),
      levels: new Map(),
      levelStatus: null
    });
  }

  /**
   * Discard the open request and suggestion, and enter the given phase. The chosen model, the
   * branch, the kernel's variables and the ids of unanswered turns stay. The choice of DataFrames
   * stays until it is sent. `turnId` becomes the id of the next turn.
   */
  discardRequest(phase: 'idle' | 'editing' | 'running', draft: string): void {
    const { model, cellModel, uncountedTurnIds, branch, kernel } = this._state;
    const { dataframes, detached, levels } = this._state;
    const turnId = this.nextTurnId;
    const isSent = this.suggestion?.turnId || this._state.phase === 'answered';
    this.suggestion = this.request = this.wordsTurnId = null;
    this.answers = [];
    this.setState({
      ...INITIAL_STATE,
      ...((draft.trim() || !isSent) && { dataframes, detached, levels }),
      model,
      cellModel,
      uncountedTurnIds,
      branch,
      kernel,
      turnId,
      phase,
      draft
    });
  }

  /** Record an event. If the event isn't recorded now, set a notice and return false. */
  async record(event: EventBody): Promise<boolean> {
    const notice = await recordEvent(this.history, this.target, event);
    if (notice) {
      this.setState({ notice });
    }
    return !notice;
  }

  private async _countOverwrittenLines(code: string): Promise<void> {
    const { history, target } = this;
    const source = target.source() ?? '';
    const key = target.key();
    const count = await countOverwrittenLines(history, key, source, code);
    const { phase, code: current, overwrittenCount } = this._state;
    if (
      phase === 'suggested' &&
      code === current &&
      count !== overwrittenCount
    ) {
      this.setState({ overwrittenCount: count });
    }
  }

  /** Return the texts that are searched for names of the kernel's variables. */
  private _textsOf(intent: string): string[] {
    return [intent, this._currentSource, this.target.codeAbove()];
  }

  /** The code that the next request is about: the open suggestion's, otherwise the cell's. */
  private get _currentSource(): string {
    // While the next answer arrives, `state.code` is a part of it.
    const code = this.isGenerating ? this.previousCode : this._state.code;
    return this.suggestion ? code : (this.target.source() ?? '');
  }

  private _state = INITIAL_STATE;
  /** The mode of the person's request that was answered last. */
  private _mode = '';
}
