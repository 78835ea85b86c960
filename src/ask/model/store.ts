/**
 * The data of a cell's `GenerationModel`, which `RequestSender` and `Decision` change.
 *
 * Invariant: after disposal, the state doesn't change and no signal is emitted.
 */
import { Signal } from '@lumino/signaling';

import type {
  DataFrameProfile,
  EventBody,
  Mention,
  PastAnswer
} from '../../api/types';
import type { ITarget } from '../../cells/notebookCell';
import type { ICheckedRequest, IProblem } from '../../kernel/check';
import { UNRELATED } from '../../kernel/signals';
import { isTransient } from '../../state/failure';
import type { IHistory } from '../../tokens';
import { type IAnswer, type ISuggestion, NO_TURN, withAnswer } from './answers';
import { asksForChange } from './changeWords';
import {
  namedFrames,
  relevantVariables,
  withCurrentFrames
} from './context/attachments';
import {
  type IMention,
  exampleMention,
  mentionsIn,
  withChoice
} from './context/mentions';
import { withLevels } from './context/privacyLevels';
import { type ILineRange, lineRange } from './context/selection';
import { IntentHistory } from './intents';
import { countOverwrittenLines } from './problems';
import { ResultSignals } from './resultSignals';
import { type IAttached, type IRequest, cellBody } from './request';
import {
  type IGenerationState,
  INITIAL_STATE,
  type Notice,
  answerState
} from './state';
import type { GenerationApi } from './stream';

/** These modes ask only for additions, so the check reports other changes. */
const ADDITIVE_MODES = ['document', 'test'];

export interface IStoreOptions {
  api: GenerationApi;
  history: IHistory;
  target: ITarget;
  /** Whether the messages that models get are stored. Default: true. */
  storesPrompts?: () => boolean;
}

export class GenerationStore {
  constructor({ api, history, target, storesPrompts }: IStoreOptions) {
    this.api = api;
    this.history = history;
    this.target = target;
    this.storesPrompts = storesPrompts ?? (() => true);
    this.result = new ResultSignals(target);
  }

  readonly api: GenerationApi;
  readonly history: IHistory;
  readonly target: ITarget;
  readonly result: ResultSignals;
  readonly storesPrompts: () => boolean;

  readonly changed = new Signal<this, IGenerationState>(this);
  readonly intents = new IntentHistory();

  /** The input field's text, with which a recreated view starts. */
  inputText = '';
  request: IRequest | null = null;
  /** The answer of another notebook that the next request contains. */
  example: PastAnswer | null = null;
  answers: readonly IAnswer[] = [];
  /** The last turn in words about the open suggestion, from which the next request continues. */
  wordsTurnId: number | null = null;
  /** The cell's code when the open request was first sent; null if the cell was deleted. */
  baseSource: string | null = null;
  sentMentions: readonly Mention[] = []; // with the last request
  isDisposed = false;
  hasBegun = false;

  get state(): IGenerationState {
    return this._state;
  }

  /** The answer that waits for the person's decision. */
  get answer(): IAnswer | null {
    const isShown = ({ suggestion }: IAnswer) =>
      suggestion.turnId === this._shownTurnId;
    return this.answers.find(isShown) ?? null;
  }

  get suggestion(): ISuggestion | null {
    return this.answer?.suggestion ?? null;
  }

  get isBusy(): boolean {
    return this.isGenerating || this._state.phase === 'running';
  }

  get isGenerating(): boolean {
    return this._state.phase === 'waiting' || this._state.phase === 'streaming';
  }

  /** The id that the next turn will probably get from the server. */
  get nextTurnId(): number | null {
    const { phase, turnId } = this._state;
    if (this.suggestion?.turnId) {
      const turnIds = this.answers.map(({ suggestion }) => suggestion.turnId);
      return Math.max(this.wordsTurnId ?? 0, ...turnIds) + 1;
    }
    return phase === 'answered' && turnId ? turnId + 1 : turnId;
  }

  get isCellEdited(): boolean {
    const source = this.target.source();
    const { baseSource } = this;
    return source !== null && baseSource !== null && source !== baseSource;
  }

  get changesNothing(): boolean {
    const { phase, code } = this._state;
    return (
      phase === 'suggested' &&
      this.target.source()?.trimEnd() === code.trimEnd()
    );
  }

  /** Whether the suggestion was asked for because other code failed, or has problems. */
  get isAnotherAttempt(): boolean {
    const { phase, intent } = this._state;
    const mode = this.suggestion?.mode;
    // The text of a request to fix an error contains the error.
    const isFix = mode === 'fix' && intent.includes('\n');
    return phase === 'suggested' && (isFix || mode === 'repair');
  }

  /** Whether the suggestion uses none of the data of the code that failed. */
  get isUnrelated(): boolean {
    const { phase, signals } = this._state;
    return (
      phase === 'suggested' && signals.some(({ kind }) => kind === UNRELATED)
    );
  }

  /** Whether the suggestion can be accepted. */
  get isOffered(): boolean {
    return !this.changesNothing && !this.isUnrelated;
  }

  /** The lines of the open suggestion, or of the cell, that may change; null for all. */
  get selectedLines(): ILineRange | null {
    return this.selectedLinesOf(this._currentSource);
  }

  selectedLinesOf(source: string): ILineRange | null {
    const { selection } = this._state;
    return selection && lineRange(selection, source);
  }

  /** Mentions count only in the `typed` part. */
  buildRequest(intent: string, typed = intent): IRequest {
    const { suggestion, state, target } = this;
    const example = this.example ? exampleMention(this.example) : undefined;
    return {
      intent: intent.trim(),
      typed,
      ...(example && { example }),
      source: suggestion ? state.code : (target.source() ?? ''),
      parentTurnId:
        this.wordsTurnId ?? (suggestion?.turnId || state.branch?.turnId),
      dataframes: withLevels(state.dataframes, state.levels),
      attached: this._attached(intent),
      selection: this.selectedLines,
      mentions: this.mentionsOf({ typed, example })
    };
  }

  mentionsOf({
    typed = '',
    example
  }: Pick<IRequest, 'typed' | 'example'>): IMention[] {
    const mentions = this.mentions(typed);
    return example ? [example, ...mentions] : mentions;
  }

  attachedFrames(intent: string): DataFrameProfile[] {
    const { kernel, dataframes, detached, levels } = this._state;
    const chosen = dataframes.map(({ name }) => name);
    const excluded = new Set([...detached, ...chosen]);
    const frames = namedFrames(kernel, this._textsOf(intent));
    const attached = frames.filter(({ name }) => !excluded.has(name));
    return withLevels(attached, levels);
  }

  mentions(intent: string): IMention[] {
    const { kernel, shared } = this._state;
    return mentionsIn(intent, this.target, kernel).map(mention =>
      withChoice(mention, shared)
    );
  }

  /** Let a local model read the cell and its context now, so that it answers sooner. */
  warmUp(): Promise<void> {
    const { api, inputText, selectedLines: selection, target } = this;
    const attached = this._attached(inputText);
    const { cellModel: model } = this._state;
    const request = { source: target.source() ?? '', attached, selection };
    return api.warmUp(cellBody(request, { target, model }));
  }

  /**
   * Check the open suggestion in the kernel, and count the hand-written lines that it would
   * overwrite. Return its problems; null if they aren't known, or it was changed meanwhile.
   */
  async check(): Promise<readonly IProblem[] | null> {
    const { phase, code } = this._state;
    if (phase !== 'suggested') {
      return null;
    }
    const isCurrent = () =>
      this._state.phase === 'suggested' && this._state.code === code;
    const { history, target } = this;
    const counted = countOverwrittenLines(history, target, code);
    void counted.then(overwrittenCount => {
      if (isCurrent() && overwrittenCount !== this._state.overwrittenCount) {
        this.setState({ overwrittenCount });
      }
    });
    const result = await target.checkSuggestion(code, this._checkedRequest);
    if (!result || !isCurrent()) {
      return null;
    }
    this.setState(result);
    return result.problems;
  }

  /** Whether the open answers are to a request for a change of data. */
  get isDataChange(): boolean {
    return asksForChange(this._asked?.suggestion.intent ?? '');
  }

  /** Add and show an answer to `request`; null if no model was asked. */
  addAnswer(suggestion: ISuggestion, request: IRequest | null): void {
    const { answer, answers, state } = this;
    const added = {
      suggestion,
      request: (request?.isChange && answer?.request) || request,
      model: state.askedModel,
      shown: null
    };
    const isChange = !!request?.isChange && !!answer;
    this.answers = withAnswer(answers, added, isChange);
    // “Regenerate” repeats the person's request, not the one to change its answer.
    this.request = added.request;
    this._shownTurnId = suggestion.turnId;
    this.wordsTurnId = null;
  }

  showAnswer(turnId: number): void {
    this.keepShown();
    this._shownTurnId = turnId;
    this.wordsTurnId = null;
    this.request = this.answer!.request;
    this.setState(this.suggested!);
    void this.check();
  }

  /** The state change that shows the open answer as it was last; null if there is none. */
  get suggested(): Partial<IGenerationState> | null {
    return this.answer && answerState(this.answer, this.isCellEdited);
  }

  /** Store what is shown of the open answer, before something else is shown. */
  keepShown(): void {
    const { code, corrections, correctedCode } = this._state;
    const shown = { code, corrections, correctedCode };
    this.answers = this.answers.map(answer =>
      answer === this.answer ? { ...answer, shown } : answer
    );
  }

  setState(change: Partial<IGenerationState>): void {
    if (!this.isDisposed) {
      this._state = { ...this._state, ...change };
      this.changed.emit(this._state);
    }
  }

  /** Called when the kernel has restarted or is another one. */
  clearKernel(): void {
    const { kernel } = this._state;
    this.setState({
      kernel: { ...kernel, frames: [], variables: [] },
      ...withCurrentFrames(this._state, []),
      levels: new Map(),
      levelStatus: null
    });
  }

  /** The choice of DataFrames stays until it is sent. */
  discardRequest(phase: 'idle' | 'editing' | 'running', draft: string): void {
    const { model, cellModel, uncountedTurnIds, branch, kernel } = this._state;
    const { dataframes, detached, levels } = this._state;
    const turnId = this.nextTurnId;
    const isSent = this.suggestion?.turnId || this._state.phase === 'answered';
    this.request = this.wordsTurnId = null;
    this.answers = [];
    this.setState({
      ...INITIAL_STATE,
      ...((draft.trim() || !isSent) && { dataframes, detached, levels }),
      ...{ model, cellModel, uncountedTurnIds, branch, kernel },
      ...{ turnId, phase, draft }
    });
  }

  async record(event: EventBody): Promise<boolean> {
    const { cellId } = this.target;
    // `ensure` may save the notebook, which an event doesn't need.
    const key =
      this.target.key() ??
      (await this.target.ensure().then(
        notebookId => ({ notebookId, cellId }),
        () => null
      ));
    let notice: Notice = 'not_recorded';
    if (key) {
      try {
        await this.history.record(key, [event]);
        return true;
      } catch (reason) {
        notice = isTransient(reason) ? 'unsaved' : 'not_recorded';
      }
    }
    this.setState({ notice });
    return false;
  }

  /** The last answer that isn't a repair: a repair is checked like the answer that it repairs. */
  private get _asked(): IAnswer | undefined {
    return this.answers
      .filter(({ suggestion }) => suggestion.mode !== 'repair')
      .pop();
  }

  /** The code before another attempt: the answer to repair, or the cell's. */
  private get _failedCode(): string {
    const { answer, answers } = this;
    if (answer?.suggestion.mode === 'repair') {
      return answers[answers.indexOf(answer) - 1]?.suggestion.source ?? '';
    }
    return answer?.request?.source ?? '';
  }

  private get _checkedRequest(): ICheckedRequest {
    const mode = this._checkedMode;
    const source =
      mode === 'repair' ? this._failedCode : this.answer?.request?.source;
    return {
      source: source ?? '',
      mode,
      intent: this._asked?.request?.typed ?? ''
    };
  }

  private get _checkedMode(): string {
    const mode = this._asked?.suggestion.mode ?? '';
    if (ADDITIVE_MODES.includes(mode) && this.answer?.request?.source) {
      return mode;
    }
    if (this.isAnotherAttempt) {
      return 'repair';
    }
    return this.isDataChange ? 'change' : '';
  }

  private _attached(intent: string): IAttached {
    const { kernel, detached } = this._state;
    return {
      frames: this.attachedFrames(intent),
      variables: relevantVariables(kernel, this._textsOf(intent)),
      detached
    };
  }

  private _textsOf(intent: string): string[] {
    return [intent, this._currentSource, this.target.codeAbove()];
  }

  private get _currentSource(): string {
    const { answer } = this;
    if (!answer) {
      return this.target.source() ?? '';
    }
    // While the next answer arrives, `state.code` is a part of it.
    return this.isGenerating ? (answer.shown?.code ?? '') : this._state.code;
  }

  private _state = INITIAL_STATE;
  private _shownTurnId = NO_TURN;
}
