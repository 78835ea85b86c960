/** The state of the generations in one cell, which views show, and the changes of this state. */
import type {
  DataFrameProfile,
  Interaction,
  ModelInfo,
  ModelList
} from '../../api/types';
import type { NotebookCell } from '../../cells/notebookCell';
import type { IBranch } from '../../records/branch';
import { IFailure, isModelFailure } from '../../state/failure';

/** The cell of a request, found by its id, because its widget may be recreated or deleted. */
export type ITarget = Pick<NotebookCell, keyof NotebookCell>;

export type Phase =
  | 'idle'
  | 'editing'
  | 'waiting'
  | 'streaming'
  | 'suggested'
  | 'failed'
  | 'stopped';

/**
 * `not_written`: the cell was deleted or is read-only · `unsaved`: an event will be recorded later
 * · `not_recorded`: an event was refused for good · `ready`: a model became available ·
 * `same`: the answer equals the cell's code.
 */
export type Notice =
  | 'busy'
  | 'stopped'
  | 'reset'
  | 'not_written'
  | 'unsaved'
  | 'not_recorded'
  | 'ready'
  | 'same';

/** A complete answer that can be accepted. */
export interface ISuggestion {
  readonly turnId: number;
  readonly intent: string;
  readonly source: string;
  readonly explanation: string;
  /** The error code with which saving the turn failed; null if the turn was saved. */
  readonly saveError: string | null;
  /** The model that answered, as `provider:name`. */
  readonly model?: string | null;
}

export function toSuggestion(
  turn: Interaction,
  saveError: string | null
): ISuggestion {
  const { suggestion, explanation } = turn.ai_response;
  return {
    turnId: turn.turn_id,
    intent: turn.user_request.intent,
    source: normalizeLineBreaks(suggestion),
    explanation: explanation ?? '',
    saveError,
    model: turn.model
  };
}

/** The immutable state that a view draws. */
export interface IGenerationState {
  readonly phase: Phase;
  /** The current request, during and after its generation. */
  readonly intent: string;
  /** The text that a view puts into its input field whenever this text changes. */
  readonly draft: string;
  /** The partial answer or the suggestion. */
  readonly code: string;
  readonly explanation: string;
  readonly turnId: number | null;
  /** The ids of turns without an answer: they are stored but are not versions of the cell. */
  readonly failed: readonly number[];
  readonly model: ModelInfo | null;
  /** The model chosen for this cell only; null for the default model. */
  readonly cellModel: string | null;
  /** Warnings about the store, as worded by the server. */
  readonly storeNotices?: readonly string[];
  readonly failure: IFailure | null;
  /** Information for the person that is not a failure. */
  readonly notice: Notice | null;
  /** The error code with which saving the suggestion's turn failed; null if the turn was saved. */
  readonly saveError: string | null;
  /** Whether the cell has changed since the open suggestion was requested. */
  readonly edited: boolean;
  /** The time of the request, as `performance.now()`. */
  readonly since: number;
  /** The time of the next attempt, as `performance.now()`; 0 if no attempt is waiting. */
  readonly waitUntil: number;
  readonly dataframes: readonly DataFrameProfile[];
  /** The older turn that the next request continues from; null to continue from the newest turn. */
  readonly branch: IBranch | null;
}

export const INITIAL_STATE: IGenerationState = {
  phase: 'idle',
  intent: '',
  draft: '',
  code: '',
  explanation: '',
  turnId: null,
  failed: [],
  model: null,
  cellModel: null,
  failure: null,
  notice: null,
  saveError: null,
  edited: false,
  since: 0,
  waitUntil: 0,
  dataframes: [],
  branch: null
};

export function modelFailure(model: ModelInfo | null): IFailure | null {
  if (model?.ready) {
    return null;
  }
  return {
    code: 'no_model',
    message: model?.problem ?? '',
    text: model?.problemText ?? undefined,
    install: model?.install ?? undefined
  };
}

/** Return the state change that a new list of models causes. */
export function applyModelList(
  state: IGenerationState,
  list: ModelList
): Partial<IGenerationState> {
  const findModel = (modelId: string | null) =>
    list.models.find(({ id }) => id === modelId) ?? null;
  const chosen = findModel(state.cellModel);
  const model = chosen ?? findModel(list.default);
  // A model that is no longer listed (its key was removed, for example) is deselected.
  const change = {
    model,
    cellModel: chosen && state.cellModel,
    storeNotices: list.notices ?? []
  };
  const hadNoModel = state.failure?.code === 'no_model';
  if (state.phase !== 'editing' && !hadNoModel) {
    // The failure of one model doesn't apply to another one.
    const isOther = model && state.model && model.id !== state.model.id;
    const isObsolete =
      isOther && state.failure && isModelFailure(state.failure);
    return isObsolete ? { ...change, failure: null } : change;
  }
  const failure = modelFailure(model);
  const notice = hadNoModel && !failure ? 'ready' : state.notice;
  return { ...change, failure, notice };
}

/** The state change when a request is sent. */
export function waitingState(
  intent: string,
  turnId: number | null
): Partial<IGenerationState> {
  return {
    phase: 'waiting',
    intent,
    draft: '',
    turnId,
    failure: null,
    notice: null,
    saveError: null,
    edited: false,
    waitUntil: 0,
    since: performance.now()
  };
}

/** The state change when an answer is complete. @param now The cell's current code. */
export function suggestedState(
  suggestion: ISuggestion,
  now: string
): Partial<IGenerationState> {
  const code = suggestion.source;
  return {
    ...restoredState(suggestion, code),
    notice: now.trimEnd() === code.trimEnd() ? 'same' : null,
    // The next request continues from this answer.
    branch: null
  };
}

/** The state change when a request ends without an answer. */
export function unansweredState(
  state: IGenerationState,
  turnId: number | null
): Partial<IGenerationState> {
  const { failed, intent } = state;
  const texts = { draft: intent, code: '', explanation: '' };
  // The server stores a request without an answer as a turn, so the next turn gets another number.
  return turnId
    ? { ...texts, turnId: turnId + 1, failed: [...failed, turnId] }
    : texts;
}

/** The state change when an earlier suggestion is shown again with its revised `code`. */
export function restoredState(
  suggestion: ISuggestion,
  code: string
): Partial<IGenerationState> {
  const { intent, explanation, turnId, saveError } = suggestion;
  return { phase: 'suggested', intent, code, explanation, turnId, saveError };
}

/**
 * The number of the cell's version that the turn is or will be: turns without an answer don't
 * count.
 */
export function versionNumber({
  turnId,
  failed
}: Pick<IGenerationState, 'turnId' | 'failed'>): number | null {
  const before = new Set(failed.filter(id => turnId && id < turnId));
  return turnId && turnId - before.size;
}

/**
 * Convert all line breaks to `\n`, as CodeMirror does, so that the cell gets the code that is
 * shown.
 */
export function normalizeLineBreaks(code: string): string {
  return code.replace(/\r\n?/g, '\n');
}
