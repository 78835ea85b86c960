/**
 * What is known of the asking in one cell: the shapes that a view draws.
 */
import type {
  CellType,
  ContextCell,
  DataFrameProfile,
  Interaction,
  ModelInfo,
  ModelList
} from '../../api/types';
import type { IBranch } from '../../records/branch';
import { IFailure, isModelFailure } from '../../state/failure';

/** The cell that asks, by its id: it may move, be drawn anew, or go. */
export interface ITarget {
  readonly cellId: string;

  /** What kind of cell it is now; a person may change that. */
  readonly cellType: CellType;

  /** Whether what is written into the cell can't be saved. */
  readonly isReadOnly: boolean;

  /** The notebook's id, if it has one already. */
  notebookId(): string | null;

  /**
   * Give the notebook its id and save it, if it can be saved.
   *
   * @throws Error with a sentence for the person.
   */
  ensure(): Promise<string>;

  /** The cell's code; null if the cell is gone. */
  source(): string | null;

  /** The error that the cell's code ended with, in a few lines; null if there is none. */
  error(): string | null;

  /** Write the cell's code in one undo step; false if the cell is gone or locked. */
  apply(source: string): boolean;

  /** What the request says of the notebook around the cell. */
  surroundings(): {
    language: string;
    cellType: CellType;
    context: { cells: ContextCell[]; kernel: string };
    notebookPath: string;
  };
}

export type Phase =
  | 'idle'
  | 'asking'
  | 'waiting'
  | 'streaming'
  | 'suggested'
  | 'failed'
  | 'stopped';

/**
 * `busy`, `stopped`, `reset`: what they say · `gone`: the cell is not there to be written ·
 * `unsaved`: what was done could not be noted yet · `unnoted`: nor will it be ·
 * `ready`: now there is a model · `same`: the answer is what the cell holds already.
 */
export type Notice =
  | 'busy'
  | 'stopped'
  | 'reset'
  | 'gone'
  | 'unsaved'
  | 'unnoted'
  | 'ready'
  | 'same';

/** A whole answer that can be accepted. */
export interface ISuggestion {
  readonly turnId: number;
  readonly intent: string;
  readonly source: string;
  readonly explanation: string;
  /** Why the turn could not be kept; null where it was. */
  readonly unkept: string | null;
  /** The model that answered, as `provider:name`. */
  readonly model?: string | null;
}

export function suggestionOf(
  turn: Interaction,
  unkept: string | null
): ISuggestion {
  const { suggestion, explanation } = turn.ai_response;
  return {
    turnId: turn.turn_id,
    intent: turn.user_request.intent,
    source: normalised(suggestion),
    explanation: explanation ?? '',
    unkept,
    model: turn.model
  };
}

/** What a view draws. Each change makes a new one. */
export interface IGenerationState {
  readonly phase: Phase;
  /** What was asked, while and after it is answered. */
  readonly intent: string;
  /** The text that a view puts into its input, when it changes. */
  readonly draft: string;
  /** The answer so far, or the suggestion. */
  readonly code: string;
  readonly explanation: string;
  readonly turnId: number | null;
  /** The ids of the turns without an answer: they are kept, but are no versions of the cell. */
  readonly failed: readonly number[];
  readonly model: ModelInfo | null;
  /** The model chosen for this cell alone; null if it goes with all others. */
  readonly cellModel: string | null;
  /** What the store of the histories doesn't guarantee, in the server's words. */
  readonly storeNotices?: readonly string[];
  readonly failure: IFailure | null;
  /** Something that a person should know and that is no failure. */
  readonly notice: Notice | null;
  /** Why the suggestion is not in the history, as the code of an error; null where it is. */
  readonly unkept: string | null;
  /** Whether the cell holds something else than when the open suggestion was asked for. */
  readonly edited: boolean;
  /** When the request was sent, by `performance.now()`. */
  readonly since: number;
  /** Until when the provider asked to wait, by the same clock; 0 if it didn't. */
  readonly waitUntil: number;
  readonly dataframes: readonly DataFrameProfile[];
  /** The older request that the next one continues from; null: the newest one. */
  readonly branch: IBranch | null;
}

export const INITIAL: IGenerationState = {
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
  unkept: null,
  edited: false,
  since: 0,
  waitUntil: 0,
  dataframes: [],
  branch: null
};

export function problemOf(model: ModelInfo | null): IFailure | null {
  if (model?.ready) {
    return null;
  }
  return {
    code: 'no_model',
    message: model?.problem ?? '',
    install: model?.install ?? undefined
  };
}

/** What a list of models, asked for now, changes. */
export function withModels(
  state: IGenerationState,
  list: ModelList
): Partial<IGenerationState> {
  const find = (wanted: string | null) =>
    list.models.find(({ id }) => id === wanted) ?? null;
  const chosen = find(state.cellModel);
  const model = chosen ?? find(list.default);
  // A model that is gone (its key was removed, say) is chosen no longer.
  const change = {
    model,
    cellModel: chosen && state.cellModel,
    storeNotices: list.notices ?? []
  };
  const lacked = state.failure?.code === 'no_model';
  if (state.phase !== 'asking' && !lacked) {
    // What one model failed by is said of another one no longer.
    const other = model && state.model && model.id !== state.model.id;
    const isPast = other && state.failure && isModelFailure(state.failure);
    return isPast ? { ...change, failure: null } : change;
  }
  const failure = problemOf(model);
  const notice = lacked && !failure ? 'ready' : state.notice;
  return { ...change, failure, notice };
}

/** What sending a request changes. */
export function waitingFor(
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
    unkept: null,
    edited: false,
    waitUntil: 0,
    since: performance.now()
  };
}

/** A whole answer, shown as a change of what the cell holds now. */
export function suggested(
  suggestion: ISuggestion,
  now: string
): Partial<IGenerationState> {
  const { source: code, explanation, turnId, unkept } = suggestion;
  const isSame = now.trimEnd() === code.trimEnd();
  const notice = isSame ? 'same' : null;
  // From here on it is this answer that a request goes on from.
  const branch = null;
  return {
    phase: 'suggested',
    notice,
    unkept,
    code,
    explanation,
    turnId,
    branch
  };
}

/** Where the next request begins: what is known of the cell and its model stays. */
export function begun(
  { model, cellModel, failed, branch }: IGenerationState,
  phase: 'idle' | 'asking',
  draft: string,
  turnId: number | null
): IGenerationState {
  return {
    ...INITIAL,
    model,
    cellModel,
    failed,
    branch,
    turnId,
    phase,
    draft
  };
}

/** What the end of a request without an answer changes. */
export function withoutAnswer(
  state: IGenerationState,
  turnId: number | null
): Partial<IGenerationState> {
  const { failed, intent } = state;
  const rest = { draft: intent, code: '', explanation: '' };
  // It is a turn all the same: the next one is another.
  return turnId
    ? { ...rest, turnId: turnId + 1, failed: [...failed, turnId] }
    : rest;
}

/** A suggestion that was open before, open again; `code` is what was on view of it. */
export function broughtBack(
  suggestion: ISuggestion,
  code: string
): Partial<IGenerationState> {
  const { intent, explanation, turnId, unkept } = suggestion;
  return { phase: 'suggested', intent, code, explanation, turnId, unkept };
}

/** Which version of the cell the turn is or will be: those that brought none don't count. */
export function versionOf({
  turnId,
  failed
}: Pick<IGenerationState, 'turnId' | 'failed'>): number | null {
  const before = new Set(failed.filter(id => turnId && id < turnId));
  return turnId && turnId - before.size;
}

/** The time of `performance.now()` in so many seconds. */
export function inSeconds(seconds: number): number {
  return performance.now() + 1000 * seconds;
}

/** CodeMirror knows one line break only; what is shown must be what is written. */
export function normalised(code: string): string {
  return code.replace(/\r\n?/g, '\n');
}
