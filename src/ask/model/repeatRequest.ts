/**
 * Sends a request of a cell's history again, of another model, for the replay.
 *
 * Invariants: the cell, its row and the kernel stay unchanged. A remote model gets no values, and no
 * outputs or texts of mentioned files.
 */
import type { GenerateBody, StreamEvent } from '../../api/types';
import { toFailure } from '../../state/failure';
import type { IRepeatedAnswer, IRepeatedRequest } from '../../tokens';
import { namedFrames, relevantVariables } from './context/attachments';
import { mentionsIn } from './context/mentions';
import { ensureNotebookId, requestBody } from './request';
import type { IStoreOptions } from './store';
import { GenerationStream, MAX_ATTEMPTS } from './stream';

/** Example values of each text column and text index, for a local model. */
export const EXAMPLES = 2;

/** Another tool may have stored other modes. */
const MODE = /^[a-z_]{1,32}$/;

/** Wait until the turn is saved. Aborting `signal` stops the model. */
export async function repeatRequest(
  options: IStoreOptions,
  request: IRepeatedRequest,
  signal: AbortSignal
): Promise<IRepeatedAnswer> {
  const { api, history } = options;
  const stream = new GenerationStream();
  const stop = () => stream.stop(api);
  signal.addEventListener('abort', stop, { once: true });
  try {
    const body = await repeatBody(options, request);
    if (signal.aborted) {
      return STOPPED;
    }
    let answer: IRepeatedAnswer | null = null;
    for await (const event of stream.events(api, body, MAX_ATTEMPTS)) {
      if (event.type === 'start') {
        stream.generationId = event.generationId;
      }
      answer = answerIn(event) ?? answer;
      if (answer) {
        history.notify({ notebookId: body.notebookId, cellId: body.cellId });
      }
    }
    if (!answer) {
      stream.stop(api);
      answer = failed('interrupted');
    }
    return signal.aborted && !answer.turn ? STOPPED : answer;
  } catch (reason) {
    return signal.aborted
      ? STOPPED
      : { turn: null, failure: toFailure(reason, 'interrupted') };
  } finally {
    signal.removeEventListener('abort', stop);
    stream.end();
  }
}

function answerIn(event: StreamEvent): IRepeatedAnswer | null {
  switch (event.type) {
    case 'done':
      return { turn: event.interaction, failure: null };
    case 'error':
      return { turn: null, failure: event };
    case 'cancelled':
      // Stopped by another page or the server's shutdown.
      return failed('stopped_elsewhere');
    default:
      return null;
  }
}

const STOPPED: IRepeatedAnswer = { turn: null, failure: null };

function failed(code: string): IRepeatedAnswer {
  return { turn: null, failure: { code, message: '' } };
}

async function repeatBody(
  { target, storesPrompts }: IStoreOptions,
  request: IRepeatedRequest
): Promise<GenerateBody> {
  const { intent, source, mode, selection, model, repeatsTurnId } = request;
  const notebookId = await ensureNotebookId(target);
  const isCode = target.cellType === 'code';
  const examples = model.onThisMachine ? EXAMPLES : 0;
  const kernel = (isCode && (await target.variables(examples))) || {
    frames: [],
    variables: []
  };
  const texts = [intent, source, target.codeAbove()];
  // The requests of “Fix it” and of corrections contain an error after the first line.
  const isTyped = !(intent.includes('\n') && /^(fix|repair)$/.test(mode));
  const body = await requestBody(
    {
      intent,
      source,
      parentTurnId: request.parentTurnId ?? undefined,
      dataframes: [],
      attached: {
        frames: namedFrames(kernel, texts),
        variables: relevantVariables(kernel, texts)
      },
      selection,
      mentions: isTyped ? mentionsIn(intent, target, kernel) : []
    },
    { target, model: model.id, storesPrompt: storesPrompts?.() }
  );
  return {
    ...body,
    notebookId,
    repeatsTurnId,
    // In the mode `retry`, the server would leave out the answers of the branch.
    ...(MODE.test(mode) && mode !== 'retry' && { mode })
  };
}
