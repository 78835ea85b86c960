/**
 * What goes along with a request: what the notebook says around it, what came before, and what
 * is noted of it afterwards.
 */
import type { ApiClient } from '../../api/client';
import { ApiError } from '../../api/request';
import type {
  AnalyzeBody,
  DataFrameProfile,
  EventBody,
  GenerateBody,
  Preview
} from '../../api/types';
import { hunks } from '../../diff/hunks';
import type { ICellKey, IHistory } from '../../tokens';
import { NotSentError, isTransient } from '../../state/failure';
import type { GenerationApi } from './run';
import type { ISuggestion, ITarget } from './state';

/** What a request was, so that it can be sent again. */
export interface IRequest {
  readonly intent: string;
  readonly source: string;
  /** The turn that it goes on from: that of the open suggestion, or an older one. */
  readonly parentTurnId?: number;
  readonly dataframes: readonly DataFrameProfile[];
}

export function bodyOf(
  request: IRequest,
  target: ITarget,
  notebookId: string,
  model: string | null
): GenerateBody | AnalyzeBody {
  const { intent, source, parentTurnId, dataframes } = request;
  const body = {
    notebookId,
    cellId: target.cellId,
    intent,
    source,
    parentTurnId,
    model: model ?? undefined,
    ...target.surroundings()
  };
  return dataframes.length ? { ...body, dataframes: [...dataframes] } : body;
}

/** Let the model get ready: one on this machine reads what is known before the request. */
export function warmUp(
  api: GenerationApi,
  target: ITarget,
  model: string | null
): Promise<void> {
  const { language, cellType, context } = target.surroundings();
  return api.warmUp({
    // A notebook that has no id yet has no past turns either: any id warms as well.
    notebookId: target.notebookId() ?? 'unsaved',
    cellId: target.cellId,
    source: target.source() ?? '',
    language,
    cellType,
    model: model ?? undefined,
    context
  });
}

/** What would be sent for a request, to the letter. */
export function preview(
  api: Pick<ApiClient, 'preview'>,
  request: IRequest,
  target: ITarget,
  model: string | null
): Promise<Preview> {
  const { language, cellType, context } = target.surroundings();
  return api.preview({
    notebookId: target.notebookId() ?? 'unsaved',
    cellId: target.cellId,
    source: request.source,
    language,
    cellType,
    model: model ?? undefined,
    context,
    intent: request.intent,
    parentTurnId: request.parentTurnId,
    dataframes: [...request.dataframes]
  });
}

/**
 * What was asked in a cell before, oldest first; the id of its last turn (0: none), and those of
 * the turns that brought no answer.
 */
export async function pastTurns(
  history: IHistory,
  key: ICellKey
): Promise<{ intents: string[]; last: number; failed: number[] }> {
  const { steps } = await history.replay(key);
  const turns = steps.filter(step => step.kind === 'turn');
  return {
    intents: turns.map(step => step.title),
    last: Math.max(0, ...turns.map(step => step.turnId ?? 0)),
    failed: turns
      .filter(({ outcome }) => outcome === 'error' || outcome === 'cancelled')
      .map(step => step.turnId ?? 0)
  };
}

/** Whether a turn was accepted or rejected; false where that can't be read now. */
export async function isDecided(
  history: IHistory,
  key: ICellKey,
  turnId: number
): Promise<boolean> {
  const replay = await history.replay(key).catch(() => null);
  const turn = replay?.steps.find(
    step => step.kind === 'turn' && step.turnId === turnId
  );
  return turn?.outcome === 'accepted' || turn?.outcome === 'rejected';
}

/**
 * The notebook's id, when it is ready for a request.
 *
 * @throws NotSentError with the sentence of why it can't be made so; ApiError as the server gave it,
 * with what helps to mend it.
 */
export async function ensured(target: ITarget): Promise<string> {
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
 * What is noted when a suggestion is written into a cell that held `before`. Where parts of it had
 * been taken back, that tells how many of its changes were left.
 */
export function acceptOf(
  { turnId, source: suggested, unkept, model }: ISuggestion,
  source: string,
  before: string | null
): EventBody {
  if (unkept) {
    // No turn says who wrote it.
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
  const of = hunks(before, suggested);
  const left = Math.min(of, hunks(before, source));
  return { ...accepted, data: { hunks: { accepted: left, of } } };
}

/** What is noted when a suggestion is not taken; the cell keeps what it holds. */
export function rejectOf(
  { turnId }: ISuggestion,
  source: string | null
): EventBody {
  const rejected = { type: 'reject', turnId };
  return source === null ? rejected : { ...rejected, source };
}

/**
 * Note what a person did. `unsaved`: the history keeps it, and notes it when it can; `unnoted`: it
 * was refused for good. The notebook need not be saved for it: what it is about was kept under the
 * notebook's id.
 */
export async function note(
  history: IHistory,
  target: ITarget,
  event: EventBody
): Promise<'unsaved' | 'unnoted' | null> {
  const { cellId } = target;
  let notebookId: string;
  try {
    notebookId = target.notebookId() ?? (await target.ensure());
  } catch {
    return 'unnoted'; // Under no name can anything be kept.
  }
  try {
    await history.record({ notebookId, cellId }, [event]);
    return null;
  } catch (reason) {
    return isTransient(reason) ? 'unsaved' : 'unnoted';
  }
}
