/** Fakes for the specs in which a history is asked again: turns, and a cell that answers. */
import type { ModelInfo, Step } from '../../../api/types';
import type { IFreshKernel, IRunResult } from '../../../kernel/freshKernel';
import type { IRepeatedAnswer, IRepeatedRequest } from '../../../tokens';
import { stepsOf } from '../replay.fakes';
import type { IAgainCell } from './run';

export const OTHER_MODEL: ModelInfo = {
  id: 'test:other',
  provider: 'test',
  label: 'Other',
  onThisMachine: true,
  ready: true
};

/** Return steps with turns, each of which continues from the previous one. */
export function turnsOf(
  ...turns: readonly (Partial<Step> & { code: string })[]
): Step[] {
  let turnCount = 0;
  return stepsOf(...turns.map(({ code }) => code)).map((step, index) => {
    const isTurn = (turns[index].kind ?? 'turn') === 'turn';
    return {
      ...step,
      ...(isTurn && { turnId: ++turnCount }),
      ...turns[index]
    };
  });
}

export class FakeAgainCell implements IAgainCell {
  isBusy = false;
  isInNotebook = true;
  canRun = true;
  codeAbove: readonly string[] = ['import a'];
  readonly requests: IRepeatedRequest[] = [];
  /** The answers to the next requests; a request without one waits until it is stopped. */
  readonly answers: (string | Error)[] = [];
  /** The code that ran in each fresh kernel. */
  readonly kernels: { ran: string[]; isShutDown: boolean }[] = [];
  readonly results = new Map<string, IRunResult>();
  readonly problems = new Map<string, number>();
  nextTurnId = 10;

  async repeat(
    request: IRepeatedRequest,
    signal: AbortSignal
  ): Promise<IRepeatedAnswer> {
    this.requests.push(request);
    const answer = this.answers.shift();
    if (answer === undefined) {
      await new Promise(resolve => signal.addEventListener('abort', resolve));
      return { turn: null, failure: null };
    }
    if (answer instanceof Error) {
      return { turn: null, failure: { code: answer.message, message: '' } };
    }
    return {
      failure: null,
      turn: {
        turn_id: this.nextTurnId++,
        timestamp: '2026-01-01T00:00:00.000Z',
        user_request: { intent: request.intent },
        ai_response: { suggestion: answer, status: 'success' }
      }
    };
  }

  async countProblems(code: string): Promise<number | null> {
    return this.problems.get(code) ?? null;
  }

  async startKernel(): Promise<IFreshKernel> {
    const kernel = { ran: [] as string[], isShutDown: false };
    this.kernels.push(kernel);
    return {
      get isShutDown() {
        return kernel.isShutDown;
      },
      run: async (code, signal) => {
        if (signal.aborted || kernel.isShutDown) {
          return null;
        }
        kernel.ran.push(code);
        const result = this.results.get(code) ?? { status: 'ok' };
        kernel.isShutDown = result.status === 'timeout';
        return result;
      },
      shutdown: async () => {
        kernel.isShutDown = true;
      }
    };
  }
}
