/**
 * The response stream of one generation, from the request to the last event.
 *
 * Invariant: stopping a stream also stops the model. To stop the model, the page sends a request to
 * the server. If this request can't be sent or fails, or if the stream doesn't end soon, the page
 * closes the stream's connection. The server notices this and stops the model.
 */
import type { ApiClient } from '../../api/client';
import type { AnalyzeBody, GenerateBody, StreamEvent } from '../../api/types';
import type { ICellKey, IHistory, IMemory } from '../../tokens';
import type { PastAnswerSource } from './pastAnswers/pastAnswerSource';
import type { ITarget } from './state';

/** The methods of `ApiClient` that a generation needs. */
export type GenerationApi = Pick<ApiClient, 'generate' | 'stop' | 'warmUp'>;

export interface IGenerationOptions {
  api: GenerationApi;
  history: IHistory;
  target: ITarget;
  /** Null if the administrator forbids memories. */
  memory?: IMemory | null;
  /** Null if the administrator forbids memories. */
  pastAnswers?: PastAnswerSource | null;
  /** Return whether the messages that models get are stored with the turns. Default: true. */
  storesPrompts?: () => boolean;
}

/** The time, in milliseconds, after which a stopped stream is aborted if it has not ended. */
const STOP_TIMEOUT_MS = 5000;

/**
 * The maximum number of attempts to start a generation after another one was stopped. The server
 * refuses an attempt while the cell's previous generation is still shutting down.
 */
export const MAX_ATTEMPTS = 12;
/** The delay between two attempts to start a generation. */
const RETRY_DELAY_MS = 250;

/** The delays, in milliseconds, before the checks of `waitUntilSaved`. */
const POLL_DELAYS_MS = [0, 500, 1000, 2000, 4000, 8000, 16_000];

export class GenerationStream {
  readonly abort = new AbortController();
  /** Must be called when no more events will be read from the stream. */
  end!: () => void;
  /** Resolves when `end` is called. */
  readonly ended = new Promise<void>(resolve => (this.end = resolve));
  /** The id of the generation; null until the event `start` has arrived. */
  generationId: string | null = null;
  /** The id of the generation's turn; 0 until the event `start` has arrived. */
  turnId = 0;
  isStopped = false;

  /**
   * Send the request and yield the generation's events. If the server refuses the request because
   * another generation of the cell is running, send it again, unless the stream was stopped. Send
   * it at most `attempts` times in all.
   */
  async *events(
    api: GenerationApi,
    body: GenerateBody | AnalyzeBody,
    attempts: number
  ): AsyncGenerator<StreamEvent, void, void> {
    for (let attemptsLeft = attempts; ; attemptsLeft--) {
      try {
        yield* api.generate(body, this.abort.signal);
        return;
      } catch (reason) {
        const { code } = reason as { code?: string };
        if (
          code !== 'generation_running' ||
          attemptsLeft <= 1 ||
          this.isStopped
        ) {
          throw reason;
        }
        await new Promise(resolve => setTimeout(resolve, RETRY_DELAY_MS));
      }
    }
  }

  /** Return the result of `promise`, but reject as soon as the stream is aborted. */
  rejectOnAbort<T>(promise: Promise<T>): Promise<T> {
    const { signal } = this.abort;
    return new Promise((resolve, reject) => {
      const onAbort = () => reject(new Error('The generation was aborted.'));
      signal.addEventListener('abort', onAbort, { once: true });
      promise.then(resolve, reject);
      if (signal.aborted) {
        onAbort();
      }
    });
  }

  /** Stop the generation, as described at the top of this file. */
  stop(api: GenerationApi): void {
    this.isStopped = true;
    if (this.generationId) {
      api.stop(this.generationId).catch(() => this.abort.abort());
      setTimeout(() => this.abort.abort(), STOP_TIMEOUT_MS);
    } else {
      this.abort.abort();
    }
  }
}

/**
 * Wait until the turn of an interrupted stream is saved. The server saves the turn when it notices
 * that the page has disconnected. If the turn is still not saved at the last check, return anyway.
 */
export async function waitUntilSaved(
  history: IHistory,
  key: ICellKey,
  turnId: number
): Promise<void> {
  for (const delay of POLL_DELAYS_MS) {
    await new Promise(resolve => setTimeout(resolve, delay));
    try {
      const { steps } = await history.api.replay(key);
      if (steps.some(step => (step.turnId ?? 0) >= turnId)) {
        return;
      }
    } catch {
      // The server is not reachable yet.
    }
  }
}
