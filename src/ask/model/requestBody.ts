/**
 * Builds the requests and events of a cell. Also warms up a model, fetches previews, records events
 * and reads the cell's past turns.
 */
import type { ApiClient } from '../../api/client';
import { ApiError } from '../../api/request';
import type {
  AnalyzeBody,
  DataFrameProfile,
  EventBody,
  GenerateBody,
  Mention,
  Preview,
  Step
} from '../../api/types';
import { countHunks } from '../../diff/hunks';
import type { IKernelVariables } from '../../kernel/variables';
import { isRequestOf, turnIdsOf } from '../../records/answers';
import { AI_SERVER, type Contributor } from '../../records/contributor';
import type { ICellKey, IHistory } from '../../tokens';
import { NotSentError, isTransient } from '../../state/failure';
import { withImages } from './context/mentionImages';
import type { IMention } from './context/mentions';
import { withLevels } from './context/privacyLevels';
import type { GenerationApi } from './generationStream';
import type { ILineRange } from './context/selection';
import type { IGenerationState, ITarget } from './state';
import type { ISuggestion } from './suggestion';

/** DataFrames and variables that are attached automatically. `detached` are names of removed ones. */
export interface IAttached extends IKernelVariables {
  readonly detached?: readonly string[];
}

/** A request, stored so that it can be sent again. */
export interface IRequest {
  /** The text of the request. The person typed it, unless the page composed it. */
  readonly intent: string;
  /** The code of the suggestion that was open when the request was built, or else the cell's. */
  readonly source: string;
  /**
   * The id of the turn that the request continues from. With an open suggestion, this is the last
   * turn about the suggestion: an answer in words, or else the suggestion's own turn. Without an
   * open suggestion, it is the older turn that the person has chosen, if any.
   */
  readonly parentTurnId?: number;
  readonly dataframes: readonly DataFrameProfile[];
  readonly attached: IAttached;
  /** The lines of `source` that may change; null if all of them may. */
  readonly selection?: ILineRange | null;
  /** The text that the person typed. Other parts of the intent mention nothing by `@`. */
  readonly typed?: string;
  /** The cells, files and errors that `typed` mentions. They are read again when it is sent. */
  readonly mentions?: readonly IMention[];
  /** The past answer that the person has chosen as an example. */
  readonly example?: Mention;
  /** Whether the request asks to correct the problems of the open suggestion. */
  readonly isRepair?: boolean;
  /** Whether the request was answered before, and another answer is wanted. */
  readonly isRetry?: boolean;
  /** The model to ask; undefined for the cell's model. */
  readonly model?: string;
  /**
   * Whether the request asks for a better answer to the open request: a repair, or another answer to
   * one of the suggestion's changes.
   */
  readonly isChange?: boolean;
}

/** A request with the mentions as they are sent. */
export type ISentRequest = IRequest & { readonly mentions?: Mention[] };

/** Build the part of a body that describes the cell and its notebook. */
function cellBody(
  target: ITarget,
  source: string,
  model: string | null,
  { frames, variables, detached = [] }: IAttached,
  { selection, mentions = [] }: Pick<ISentRequest, 'selection' | 'mentions'>
) {
  const { context, ...cell } = target.surroundings();
  return {
    // The server finds the past turns by this id. A notebook without an id has no past turns, so
    // send an id that no notebook has.
    notebookId: target.key()?.notebookId ?? 'unsaved',
    cellId: target.cellId,
    source,
    model: model ?? undefined,
    notebookPath: target.notebookPath,
    ...cell,
    context: {
      ...context,
      dataframes: frames,
      variables: [...variables],
      ...(detached.length && { detached: detached.slice(0, 100) }),
      ...(selection && { selection }),
      ...(mentions.length && { mentions: [...mentions] })
    }
  };
}

export function toRequestBody(
  request: ISentRequest,
  target: ITarget,
  notebookId: string,
  model: string | null
): GenerateBody | AnalyzeBody {
  const { intent, source, parentTurnId, dataframes, attached } = request;
  const { isRepair, isRetry } = request;
  const cell = {
    ...cellBody(target, source, model, attached, request),
    notebookId
  };
  const mode = isRetry ? 'retry' : isRepair ? 'repair' : null;
  const body = { ...cell, intent, parentTurnId, ...(mode && { mode }) };
  return dataframes.length ? { ...body, dataframes: [...dataframes] } : body;
}

/** Build the body of a request with the values of DataFrames that are chosen now. */
export function toCurrentBody(
  request: ISentRequest,
  { target, state }: { target: ITarget; state: IGenerationState },
  notebookId: string,
  model: string | null
) {
  const { dataframes, attached } = request;
  const frames = withLevels(attached.frames, state.levels);
  const current = {
    ...request,
    dataframes: withLevels(dataframes, state.levels),
    attached: { ...attached, frames }
  };
  return toRequestBody(current, target, notebookId, model);
}

/** Let a local model read the cell and its context now, so that it answers the request sooner. */
export function warmUp(
  api: GenerationApi,
  target: ITarget,
  model: string | null,
  attached: IAttached,
  selection: ILineRange | null
): Promise<void> {
  const source = target.source() ?? '';
  return api.warmUp(cellBody(target, source, model, attached, { selection }));
}

/** Fetch the exact messages that the model would get for a request. */
export async function fetchPreview(
  api: Pick<ApiClient, 'preview'>,
  request: IRequest,
  target: ITarget,
  model: string | null
): Promise<Preview> {
  const { intent, source, parentTurnId, dataframes, attached } = request;
  const mentions = await withImages(request.mentions ?? []);
  return api.preview({
    ...cellBody(target, source, model, attached, { ...request, mentions }),
    intent,
    parentTurnId,
    dataframes: [...dataframes]
  });
}

/**
 * Load the past turns of a cell. `intents` contains the texts of the requests, oldest first, and
 * `uncountedTurnIds` the ids of the turns that the row doesn't count. If the cell has no turns yet, `lastTurnId` is 0. `turns` are those of the cell's
 * `steps` that a person's requests have caused.
 */
export async function loadPastTurns(
  history: IHistory,
  key: ICellKey
): Promise<{
  intents: string[];
  lastTurnId: number;
  uncountedTurnIds: number[];
  steps: readonly Step[];
  turns: readonly Step[];
}> {
  const { steps } = await history.api.replay(key);
  const allTurns = steps.filter(step => step.kind === 'turn');
  const isRepeat = ({ repeatsTurnId }: Step) => repeatsTurnId !== undefined;
  // The person didn't send the requests that the replay asked again.
  const turns = allTurns.filter(step => !isRepeat(step));
  return {
    steps,
    turns,
    intents: turns.map(step => step.title),
    lastTurnId: Math.max(0, ...allTurns.flatMap(turnIdsOf)),
    uncountedTurnIds: allTurns.flatMap(step => {
      const isFailed = /^(error|cancelled)$/.test(step.outcome);
      const ids = turnIdsOf(step);
      return isFailed || isRepeat(step) ? ids : ids.slice(0, -1);
    })
  };
}

/**
 * Return whether a turn's suggestion was accepted or rejected; false if the history can't be read.
 */
export async function hasDecision(
  history: IHistory,
  key: ICellKey,
  turnId: number
): Promise<boolean> {
  const replay = await history.api.replay(key).catch(() => null);
  const turn = replay?.steps.find(step => isRequestOf(step, turnId));
  return turn?.outcome === 'accepted' || turn?.outcome === 'rejected';
}

/**
 * Prepare the notebook for a request, and return its id.
 *
 * @throws ApiError if a request to the server fails; NotSentError, with a sentence for the person,
 * if the notebook can't be prepared for another reason.
 */
export async function ensureNotebookId(
  target: Pick<ITarget, 'ensure'>
): Promise<string> {
  try {
    return await target.ensure();
  } catch (reason) {
    if (reason instanceof ApiError) {
      throw reason;
    }
    throw new NotSentError(reason instanceof Error ? reason.message : '');
  }
}

/**
 * Create the event that records that a suggestion was accepted. `code` is the accepted code, and
 * `previousSource` the code that it replaces. If the person has rejected some of the suggestion's
 * changes, the event says how many changes were suggested and how many of them were accepted. If
 * AI Server has corrected the suggestion, the event lists its corrections. If the person has then
 * changed the code further, or nothing was corrected automatically, the event also contains the code
 * after what AI Server did: these corrections, and those that the person has chosen.
 */
export function acceptEvent(
  { turnId, source: suggested, saveError, model }: ISuggestion,
  {
    code: source,
    corrections,
    correctedCode
  }: Pick<IGenerationState, 'code' | 'corrections' | 'correctedCode'>,
  {
    previousSource,
    rejectedCount
  }: { previousSource: string | null; rejectedCount: number }
): EventBody {
  if (saveError || !turnId) {
    return unsavedEvent(turnId, source, model);
  }
  const accepted = { type: 'accept', turnId, source };
  if (source === suggested) {
    return accepted;
  }
  const data: Record<string, unknown> = {};
  if (corrections.length) {
    data.corrections = corrections;
  }
  const isChanged = correctedCode && correctedCode !== suggested;
  if (isChanged && (source !== correctedCode || !corrections.length)) {
    data.corrected = correctedCode;
  }
  if (previousSource !== null && rejectedCount) {
    const hunkCount = countHunks(previousSource, suggested);
    const remaining = Math.max(0, hunkCount - rejectedCount);
    data.hunks = { accepted: remaining, of: hunkCount };
  }
  return Object.keys(data).length ? { ...accepted, data } : accepted;
}

/**
 * Create the event that records that one of a suggestion's changes was accepted. `source` is the
 * cell's code with the changes that have been accepted so far. If changes remain, the event is
 * marked as a part, so that the suggestion stays open.
 */
export function acceptPartEvent(
  { turnId, saveError, model }: ISuggestion,
  source: string,
  hasMore: boolean,
  hunks: { accepted: number; of: number }
): EventBody {
  return saveError || !turnId
    ? unsavedEvent(turnId, source, model)
    : {
        type: 'accept',
        turnId,
        source,
        data: { ...(hasMore && { part: true }), hunks }
      };
}

/**
 * Create the event for code without a saved turn, to which an `accept` event could refer: an `edit`
 * event by the model or, if no model was asked, by AI Server.
 */
function unsavedEvent(
  turnId: number,
  source: string,
  model: string | null | undefined
): EventBody {
  const contributor: Contributor = turnId
    ? { kind: 'model', ...(model && { name: model }) }
    : { kind: 'program', name: AI_SERVER };
  return { type: 'edit', source, contributor };
}

/** Create the event for rejecting a suggestion, which leaves the cell unchanged. */
export function rejectEvent(
  { turnId }: ISuggestion,
  source: string | null
): EventBody {
  const rejected = { type: 'reject', turnId };
  return source === null ? rejected : { ...rejected, source };
}

/**
 * Record an event. Return null if the event was recorded, `unsaved` if the event is queued and will
 * be recorded later, and `not_recorded` if it can't be recorded at all.
 */
export async function recordEvent(
  history: IHistory,
  target: ITarget,
  event: EventBody
): Promise<'unsaved' | 'not_recorded' | null> {
  const { cellId } = target;
  let key = target.key();
  try {
    // `ensure` may save the notebook, which isn't necessary for an event. So call it only if the
    // notebook has no id.
    key ??= { notebookId: await target.ensure(), cellId };
  } catch {
    return 'not_recorded'; // Nothing can be recorded without a notebook id.
  }
  try {
    await history.record(key, [event]);
    return null;
  } catch (reason) {
    return isTransient(reason) ? 'unsaved' : 'not_recorded';
  }
}
