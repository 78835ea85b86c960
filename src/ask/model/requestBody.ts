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
  /** The turn that the request continues from: the open suggestion's turn, or an older turn. */
  readonly parentTurnId?: number;
  readonly dataframes: readonly DataFrameProfile[];
}

/**
 * The fields of a body that describe the cell and its notebook, which suffice to warm up a model.
 */
function cellBody(target: ITarget, source: string, model: string | null) {
  return {
    // The server looks up past turns by this id. A notebook without an id has none, so any id
    // works.
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
 * Create the event for writing a suggestion into a cell that contained `before`. If some of the
 * suggestion's changes were removed, the event has the number of remaining changes.
 */
export function acceptEvent(
  { turnId, source: suggested, saveError, model }: ISuggestion,
  source: string,
  before: string | null
): EventBody {
  if (saveError) {
    // The turn wasn't saved, so the event must name the model as the contributor.
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
  const hunkCount = countHunks(before, suggested);
  const remaining = Math.min(hunkCount, countHunks(before, source));
  return {
    ...accepted,
    data: { hunks: { accepted: remaining, of: hunkCount } }
  };
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
 * be recorded later, and `not_recorded` if the server refused it permanently. The notebook need not
 * be saved first, because the turn is already stored under the notebook's id.
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
