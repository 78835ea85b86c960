/** Builds the bodies of requests and the events that are recorded for a cell. */
import type { ApiClient } from '../../api/client';
import { ApiError } from '../../api/request';
import type {
  AnalyzeBody,
  DataFrameProfile,
  EventBody,
  GenerateBody,
  Preview
} from '../../api/types';
import { countHunks } from '../../diff/hunks';
import type { ICellKey, IHistory } from '../../tokens';
import { NotSentError, isTransient } from '../../state/failure';
import type { GenerationApi } from './generationStream';
import type { ISuggestion, ITarget } from './state';

/** A request, stored so that it can be sent again. */
export interface IRequest {
  readonly intent: string;
  readonly source: string;
  /** The turn that it continues from: that of the open suggestion or an older one. */
  readonly parentTurnId?: number;
  readonly dataframes: readonly DataFrameProfile[];
}

/** The part of a body that describes the cell and its notebook; enough to warm up a model. */
function cellBody(target: ITarget, source: string, model: string | null) {
  return {
    // A notebook without an id has no past turns, so any id works.
    notebookId: target.key()?.notebookId ?? 'unsaved',
    cellId: target.cellId,
    source,
    model: model ?? undefined,
    ...target.surroundings()
  };
}

export function toRequestBody(
  { intent, source, parentTurnId, dataframes }: IRequest,
  target: ITarget,
  notebookId: string,
  model: string | null
): GenerateBody | AnalyzeBody {
  const { notebookPath } = target;
  const cell = { ...cellBody(target, source, model), notebookId };
  const body = { ...cell, notebookPath, intent, parentTurnId };
  return dataframes.length ? { ...body, dataframes: [...dataframes] } : body;
}

/** Warm up the model: a local model reads the context before the request is sent. */
export function warmUp(
  api: GenerationApi,
  target: ITarget,
  model: string | null
): Promise<void> {
  return api.warmUp(cellBody(target, target.source() ?? '', model));
}

/** Fetch the exact messages that a request would send. */
export function fetchPreview(
  api: Pick<ApiClient, 'preview'>,
  { intent, source, parentTurnId, dataframes }: IRequest,
  target: ITarget,
  model: string | null
): Promise<Preview> {
  return api.preview({
    ...cellBody(target, source, model),
    intent,
    parentTurnId,
    dataframes: [...dataframes]
  });
}

/**
 * Load the past turns of a cell: their intents (oldest first), the id of the last turn (0 if there
 * is none) and the ids of turns without an answer.
 */
export async function loadPastTurns(
  history: IHistory,
  key: ICellKey
): Promise<{ intents: string[]; last: number; failed: number[] }> {
  const { steps } = await history.api.replay(key);
  const turns = steps.filter(step => step.kind === 'turn');
  return {
    intents: turns.map(step => step.title),
    last: Math.max(0, ...turns.map(step => step.turnId ?? 0)),
    failed: turns
      .filter(({ outcome }) => outcome === 'error' || outcome === 'cancelled')
      .map(step => step.turnId ?? 0)
  };
}

/** Whether a turn was accepted or rejected; false if the history can't be read. */
export async function hasDecision(
  history: IHistory,
  key: ICellKey,
  turnId: number
): Promise<boolean> {
  const replay = await history.api.replay(key).catch(() => null);
  const turn = replay?.steps.find(
    step => step.kind === 'turn' && step.turnId === turnId
  );
  return turn?.outcome === 'accepted' || turn?.outcome === 'rejected';
}

/**
 * Return the notebook's id after preparing the notebook for a request.
 *
 * @throws NotSentError with a sentence for the person; ApiError as received from the server.
 */
export async function ensureNotebookId(target: ITarget): Promise<string> {
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
 * The event for writing a suggestion into a cell that contained `before`. If parts of the
 * suggestion were removed, the event counts the changes that remain.
 */
export function acceptEvent(
  { turnId, source: suggested, saveError, model }: ISuggestion,
  source: string,
  before: string | null
): EventBody {
  if (saveError) {
    // No saved turn records the model as the contributor.
    const contributor = {
      kind: 'model',
      ...(model && { name: model })
    } as const;
    return { type: 'edit', source, contributor };
  }
  const accepted = { type: 'accept', turnId, source };
  if (source === suggested || before === null) {
    return accepted;
  }
  const of = countHunks(before, suggested);
  const remaining = Math.min(of, countHunks(before, source));
  return { ...accepted, data: { hunks: { accepted: remaining, of } } };
}

/** The event for rejecting a suggestion; the cell stays unchanged. */
export function rejectEvent(
  { turnId }: ISuggestion,
  source: string | null
): EventBody {
  const rejected = { type: 'reject', turnId };
  return source === null ? rejected : { ...rejected, source };
}

/**
 * Record an event. Returns null if it was recorded, `unsaved` if it is queued and will be recorded
 * later, and `not_recorded` if it was refused for good. The notebook need not be saved: the turn
 * is already stored under its id.
 */
export async function recordEvent(
  history: IHistory,
  target: ITarget,
  event: EventBody
): Promise<'unsaved' | 'not_recorded' | null> {
  const { cellId } = target;
  let key = target.key();
  try {
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
