/**
 * The state of one cell's requests and suggestion. Its phase changes as follows:
 *
 *     idle ── open ──> editing ── ask ──> waiting ── token ──> streaming ─┬─ code ──> suggested
 *                                            └────────┬───────────┘       └─ words ─> answered
 *                                            failed, stopped
 *
 * An open suggestion stays until another arrives: a request without one ends in `suggested`. Accept
 * and Reject lead to `idle`, or to `editing` if there is typed text or a notice; “Accept and run”
 * through `running`.
 */
import type { DataFrameProfile, ModelInfo, ModelList } from '../../api/types';
import type { IProblem, IWarning } from '../../kernel/check';
import type { ISignal } from '../../kernel/signals';
import type { IKernelVariables } from '../../kernel/variables';
import type { IBranch } from '../../records/branch';
import type { IMissingFrames } from './context/attachments';
import type { ChosenLevels, ILevelStatus } from './context/privacyLevels';
import type { ISelection } from './context/selection';
import type { IAnswer, IShownCode, ISuggestion } from './answers';
import { IFailure, isModelFailure } from '../../state/failure';

export type Phase =
  | 'idle'
  | 'editing'
  | 'waiting'
  | 'streaming'
  | 'suggested'
  | 'answered'
  | 'running'
  | 'failed'
  | 'stopped';

/** `promptLabels.ts` has their texts. */
export type Notice =
  | 'busy'
  | 'stopped'
  | 'reset'
  | 'not_written'
  | 'unsaved'
  | 'not_recorded'
  | 'ready'
  | 'words'
  | 'same_again'
  | 'run_failed'
  | 'run_stopped'
  | 'not_run'
  | 'text_replaced'
  | 'changes_suggestion';

export interface IGenerationState extends IShownCode {
  readonly phase: Phase;
  readonly intent: string;
  /** The text for the input field. It doesn't replace text that the person has typed. */
  readonly draft: string;
  readonly change: number | null;
  readonly explanation: string;
  /** The current turn's id or, without a request, the next one's; null if unknown. */
  readonly turnId: number | null;
  /** Turns without an answer, and all but the newest of several answers to a request. */
  readonly uncountedTurnIds: readonly number[];
  readonly model: ModelInfo | null;
  readonly askedModel: ModelInfo | null;
  readonly cellModel: string | null;
  /** Warnings about the server's store of sessions, in its words. */
  readonly storeNotices?: readonly string[];
  readonly failure: IFailure | null;
  readonly notice: Notice | null;
  /** The error code, such as `storage_full`, if the turn could not be saved. */
  readonly saveError: string | null;
  /** Whether the cell has changed since the request (see `baseSource`). */
  readonly isCellEdited: boolean;
  /** The time of the current request, as `performance.now()`. */
  readonly requestTime: number;
  /** The time of the next attempt, as `performance.now()`; 0 for none. */
  readonly nextAttemptTime: number;
  readonly dataframes: readonly DataFrameProfile[];
  readonly missingFrames: IMissingFrames | null;
  readonly problems: readonly IProblem[];
  /** Whether the suggestion is a line that helps with the error; no model was asked. */
  readonly isRemedy: boolean;
  readonly warnings: readonly IWarning[];
  /** Facts about what the open suggestion will make of the kernel's DataFrames. */
  readonly signals: readonly ISignal[];
  /** Whether the suggestion may still be corrected, so that its buttons are disabled. */
  readonly isChecking: boolean;
  readonly overwrittenCount: number;
  /** The kinds of characters that the server replaced, such as `quotes`. */
  readonly replacedCharacters: readonly string[];
  readonly kernel: IKernelVariables;
  readonly detached: readonly string[];
  /** The older turn from which the next request continues; null for the newest. */
  readonly branch: IBranch | null;
  /** The lines that the next request may change; null for the whole cell. */
  readonly selection: ISelection | null;
  /** The mentions that the person shares with a remote model (see `mentionKey`). */
  readonly shared: readonly string[];
  readonly levels: ChosenLevels;
  readonly levelStatus: ILevelStatus | null;
}

/** Cleared when another answer is shown. */
const NOTHING_FOUND = {
  failure: null,
  notice: null,
  problems: [],
  warnings: [],
  signals: [],
  isChecking: false,
  overwrittenCount: 0,
  corrections: [],
  correctedCode: ''
} as const;

/** Cleared when a request is sent. */
const NOTHING_SHOWN = {
  ...NOTHING_FOUND,
  missingFrames: null,
  isRemedy: false,
  saveError: null,
  isCellEdited: false,
  nextAttemptTime: 0
} as const;

export const INITIAL_STATE: IGenerationState = {
  ...NOTHING_SHOWN,
  phase: 'idle',
  intent: '',
  draft: '',
  code: '',
  change: null,
  explanation: '',
  turnId: null,
  uncountedTurnIds: [],
  model: null,
  askedModel: null,
  cellModel: null,
  requestTime: 0,
  dataframes: [],
  replacedCharacters: [],
  kernel: { frames: [], variables: [] },
  detached: [],
  branch: null,
  selection: null,
  shared: [],
  levels: new Map(),
  levelStatus: null
};

export function modelFailure(model: ModelInfo | null): IFailure | null {
  return model?.ready
    ? null
    : {
        code: 'no_model',
        message: model?.problem ?? '',
        text: model?.problemText ?? undefined,
        install: model?.install ?? undefined
      };
}

export function applyModelList(
  state: IGenerationState,
  list: ModelList
): Partial<IGenerationState> {
  const findModel = (modelId: string | null) =>
    list.models.find(({ id }) => id === modelId) ?? null;
  const chosen = findModel(state.cellModel);
  const model = chosen ?? findModel(list.default);
  return {
    model,
    // Deselect a model that is no longer listed, for example without its key.
    cellModel: chosen && state.cellModel,
    storeNotices: list.notices ?? [],
    ...failureChange(state, model)
  };
}

function failureChange(
  state: IGenerationState,
  model: ModelInfo | null
): Partial<IGenerationState> {
  const hadNoModel = state.failure?.code === 'no_model';
  if (state.phase === 'editing' || hadNoModel) {
    const failure = modelFailure(model);
    const notice = hadNoModel && !failure ? 'ready' : state.notice;
    return { failure, notice };
  }
  // A failure of the previous model doesn't apply to a newly chosen one.
  const hasNewModel = model && state.model && model.id !== state.model.id;
  const isObsolete =
    hasNewModel && state.failure && isModelFailure(state.failure);
  return isObsolete ? { failure: null } : {};
}

export function waitingState(
  intent: string,
  turnId: number | null
): Partial<IGenerationState> {
  return {
    ...NOTHING_SHOWN,
    phase: 'waiting',
    intent,
    draft: '',
    turnId,
    askedModel: null,
    requestTime: performance.now()
  };
}

export function answeredState(
  { intent, explanation, turnId, saveError, mode }: ISuggestion,
  model: ModelInfo | null
): Partial<IGenerationState> {
  // A small local model may answer in words because it can't write the code.
  const isQuestion = mode === 'explain' || /[?？]/.test(intent);
  const mayBeUnwanted = model?.onThisMachine && !isQuestion;
  return {
    phase: 'answered',
    intent,
    code: '',
    explanation,
    turnId,
    saveError,
    notice: mayBeUnwanted ? 'words' : null,
    branch: null
  };
}

export function answerState(
  { suggestion, shown }: IAnswer,
  isCellEdited: boolean
): Partial<IGenerationState> {
  const { turnId, intent, explanation, saveError, source } = suggestion;
  return {
    ...NOTHING_FOUND,
    phase: 'suggested',
    intent,
    explanation,
    // A line that no model wrote has no turn, so the next request keeps its number.
    ...(turnId && { turnId }),
    isRemedy: !turnId,
    saveError,
    change: null,
    replacedCharacters: suggestion.replacedCharacters ?? [],
    ...(shown ?? { code: source }),
    isCellEdited
  };
}

/**
 * Return the number that the row shows for the current or next turn; null if its id is unknown. If
 * turn 2 has no answer, or turn 3 is another answer to its request, turn 5 has the number 4.
 */
export function requestNumber({
  turnId,
  uncountedTurnIds
}: Pick<IGenerationState, 'turnId' | 'uncountedTurnIds'>): number | null {
  const earlierUncountedIds = new Set(
    uncountedTurnIds.filter(id => turnId && id < turnId)
  );
  return turnId && turnId - earlierUncountedIds.size;
}
