/**
 * One sending of a request, from the first byte to the last.
 *
 * What must hold: once stopped, the model behind it stops too: by being told, and where
 * that fails by the connection being cut.
 */
import type { ApiClient } from '../../api/client';
import type { AnalyzeBody, GenerateBody, StreamEvent } from '../../api/types';
import type { ICellKey, IHistory } from '../../tokens';
import { ITarget, normalised } from './state';

/** The calls that a generation needs; `ApiClient` has them. */
export type GenerationApi = Pick<ApiClient, 'generate' | 'stop' | 'warmUp'>;

export interface IGenerationOptions {
  api: GenerationApi;
  history: IHistory;
  target: ITarget;
}

/** A stopped stream that has not ended by then is cut off. */
const STOP_MS = 5000;

/** How often, and after how long, it is tried to follow on a generation that was stopped. */
export const TRIES = 12;
const TRY_MS = 250;

/** When it is looked whether a turn whose stream broke off has been kept. */
const LOOK_MS = [0, 500, 1000, 2000, 4000, 8000, 16_000];

/** The parts of an answer, as they come. */
export class Answer {
  private _code = '';
  private _explanation = '';

  /** What there is to show now. Without code as long as none has come. */
  add(token: { part: 'code' | 'explanation'; text: string }): {
    explanation: string;
    code?: string;
  } {
    if (token.part === 'code') {
      this._code += token.text;
    } else {
      this._explanation += token.text;
    }
    const shown = { explanation: this._explanation };
    return this._code ? { ...shown, code: normalised(this._code) } : shown;
  }
}

export class Run {
  readonly abort = new AbortController();
  /** Say that nothing more is read of it. */
  end!: () => void;
  /** Resolves then. */
  readonly ended = new Promise<void>(resolve => (this.end = resolve));
  generationId: string | null = null;
  turnId = 0;
  stopped = false;

  /** It was cut off before it had a name: the server notices that in a moment. */
  get lingers(): boolean {
    return this.stopped && !this.generationId;
  }

  /** Its events. Where a stopped generation of the cell still ends, that is waited for. */
  async *events(
    api: GenerationApi,
    body: GenerateBody | AnalyzeBody,
    tries: number
  ): AsyncGenerator<StreamEvent, void, void> {
    for (let left = tries; ; left--) {
      try {
        yield* api.generate(body, this.abort.signal);
        return;
      } catch (reason) {
        const { code } = reason as { code?: string };
        if (code !== 'generation_running' || left <= 1 || this.stopped) {
          throw reason;
        }
        await new Promise(resolve => setTimeout(resolve, TRY_MS));
      }
    }
  }

  /** What is waited for before anything is sent; rejects at once when the run is left. */
  unlessLeft<T>(promise: Promise<T>): Promise<T> {
    const { signal } = this.abort;
    return new Promise((resolve, reject) => {
      const leave = () => reject(new Error('The run was left.'));
      signal.addEventListener('abort', leave, { once: true });
      promise.then(resolve, reject);
      if (signal.aborted) {
        leave();
      }
    });
  }

  stop(api: GenerationApi): void {
    this.stopped = true;
    if (this.generationId) {
      api.stop(this.generationId).catch(() => this.abort.abort());
      setTimeout(() => this.abort.abort(), STOP_MS);
    } else {
      this.abort.abort();
    }
  }
}

/**
 * Wait until the turn of a stream that broke off is kept: the server ends it only when it
 * notices that nobody reads, or when it is back. Resolves when it is, or has not been for long.
 */
export async function whenKept(
  history: IHistory,
  key: ICellKey,
  turnId: number
): Promise<void> {
  for (const delay of LOOK_MS) {
    await new Promise(resolve => setTimeout(resolve, delay));
    try {
      const { steps } = await history.replay(key);
      if (steps.some(step => (step.turnId ?? 0) >= turnId)) {
        return;
      }
    } catch {
      // Still away.
    }
  }
}
