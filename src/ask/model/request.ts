/** A cell's request: its contents, its body, and the requests before it. */
import type { ApiClient } from '../../api/client';
import type {
  AnalyzeBody,
  DataFrameProfile,
  GenerateBody,
  Mention,
  Step
} from '../../api/types';
import { ApiError } from '../../api/request';
import type { ITarget } from '../../cells/notebookCell';
import type { IKernelVariables } from '../../kernel/variables';
import { turnIdsOf } from '../../records/answers';
import { NotSentError } from '../../state/failure';
import type { ICellKey, IHistory } from '../../tokens';
import { type IMention, withImages } from './context/mentions';
import { type ChosenLevels, withLevels } from './context/privacyLevels';
import type { ILineRange } from './context/selection';

export interface IAttached extends IKernelVariables {
  readonly detached?: readonly string[];
}

/** Stored so that it can be sent again. */
export interface IRequest {
  readonly intent: string;
  /** The code of the suggestion that was open, or else the cell's. */
  readonly source: string;
  /** The turn from which the request continues, if it isn't the newest one. */
  readonly parentTurnId?: number;
  readonly dataframes: readonly DataFrameProfile[];
  readonly attached: IAttached;
  readonly selection?: ILineRange | null;
  /** The typed text. Other parts of the intent mention nothing by `@`. */
  readonly typed?: string;
  /** The cells, files and errors that `typed` mentions. They are read again when it is sent. */
  readonly mentions?: readonly IMention[];
  readonly example?: Mention;
  readonly isRepair?: boolean;
  /** Whether the request was answered, and another answer is wanted. */
  readonly isRetry?: boolean;
  readonly model?: string;
  /** Whether a better answer to the open request is wanted: a repair, or another change. */
  readonly isChange?: boolean;
}

interface IBodyOptions {
  readonly target: ITarget;
  readonly model: string | null;
  readonly levels?: () => ChosenLevels;
  readonly storesPrompt?: boolean;
}

export type PreviewApi = Pick<ApiClient, 'preview'>;

/** Without an id, return one that no notebook has: it has no past turns. */
export function notebookIdOf(target: Pick<ITarget, 'key'>): string {
  return target.key()?.notebookId ?? 'unsaved';
}

export function cellBody(
  { source, attached, selection }: Omit<IRequest, 'intent' | 'dataframes'>,
  { target, model, levels = () => new Map() }: IBodyOptions,
  mentions: readonly Mention[] = []
) {
  const { context, ...cell } = target.surroundings();
  const { frames, variables, detached = [] } = attached;
  return {
    notebookId: notebookIdOf(target),
    cellId: target.cellId,
    source,
    model: model ?? undefined,
    notebookPath: target.notebookPath,
    ...cell,
    context: {
      ...context,
      dataframes: withLevels(frames, levels()),
      variables: [...variables],
      ...(detached.length && { detached: detached.slice(0, 100) }),
      ...(selection && { selection }),
      ...(mentions.length && { mentions: [...mentions] })
    }
  };
}

export async function requestBody(
  request: IRequest,
  options: IBodyOptions
): Promise<GenerateBody | AnalyzeBody> {
  const { intent, parentTurnId, isRepair, isRetry } = request;
  const mentions = await withImages(request.mentions ?? []);
  const levels = options.levels?.() ?? new Map();
  const dataframes = withLevels(request.dataframes, levels);
  const mode = isRetry ? 'retry' : isRepair ? 'repair' : null;
  return {
    ...cellBody(request, options, mentions),
    intent,
    parentTurnId,
    ...(mode && { mode }),
    ...(dataframes.length && { dataframes }),
    ...(options.storesPrompt === false && { storesPrompt: false })
  };
}

/**
 * Prepare the notebook for a request, and return its id.
 *
 * @throws ApiError if the server can't; NotSentError, with a sentence for the person, for other
 * reasons.
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

export interface IPastTurns {
  readonly steps: readonly Step[];
  /** The steps of a person's requests, not of the replay's “ask again”. */
  readonly turns: readonly Step[];
  readonly lastTurnId: number;
  readonly uncountedTurnIds: readonly number[];
}

/** Return the last request if it is a proposal of an agent, or a conflict of an undo, and waits. */
export function waitingProposal({ turns }: IPastTurns): Step | null {
  const last = turns.at(-1);
  const isProposal = last?.author === 'agent' || last?.mode === 'undo';
  return isProposal && last.outcome === 'open' ? last : null;
}

export async function loadPastTurns(
  history: IHistory,
  key: ICellKey
): Promise<IPastTurns> {
  const { steps } = await history.api.replay(key);
  const allTurns = steps.filter(step => step.kind === 'turn');
  const isRepeat = ({ repeatsTurnId }: Step) => repeatsTurnId !== undefined;
  return {
    steps,
    turns: allTurns.filter(step => !isRepeat(step)),
    lastTurnId: Math.max(0, ...allTurns.flatMap(turnIdsOf)),
    uncountedTurnIds: allTurns.flatMap(step => {
      const isFailed = /^(error|cancelled)$/.test(step.outcome);
      const ids = turnIdsOf(step);
      return isFailed || isRepeat(step) ? ids : ids.slice(0, -1);
    })
  };
}
