/**
 * The response stream of one generation, from its request to its last event.
 *
 * Invariant: stopping a stream also stops the model: by a request to the server or, if that request
 * fails, by closing the connection.
 */
import type { ApiClient } from '../../api/client';
import type { AnalyzeBody, GenerateBody, StreamEvent } from '../../api/types';
import type { ICellKey, IHistory } from '../../tokens';
import type { ITarget } from './state';

/** The methods of `ApiClient` that a generation needs. */
export type GenerationApi = Pick<ApiClient, 'generate' | 'stop' | 'warmUp'>;

export interface IGenerationOptions {
  api: GenerationApi;
  history: IHistory;
  target: ITarget;
}

/** A stopped stream that has not ended after this time is aborted. */
const STOP_TIMEOUT_MS = 5000;

/**
 * Number and interval of attempts to start a generation while the cell's previous generation, which
 * was stopped, is still shutting down.
 */
export const MAX_ATTEMPTS = 12;
const RETRY_DELAY_MS = 250;

/** Delays before the checks of whether an interrupted stream's turn was saved, in milliseconds. */
const POLL_DELAYS_MS = [0, 500, 1000, 2000, 4000, 8000, 16_000];

export class GenerationStream {
  readonly abort = new AbortController();
  /** Mark the stream as ended: no more events are read from it. */
  end!: () => void;
  /** Resolves when `end` is called. */
  readonly ended = new Promise<void>(resolve => (this.end = resolve));
  generationId: string | null = null;
  turnId = 0;
  isStopped = false;

  /**
   * Whether the server might still run the generation, because the stream was aborted before the
   * generation's id, which a request to stop it needs, was received.
   */
  get mightStillRun(): boolean {
    return this.isStopped && !this.generationId;
  }

  /** Yield the generation's events. Retries while a stopped one of the cell is shutting down. */
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

  /** Await `promise`, a preparation of the request, but reject as soon as the stream is aborted. */
  orAborted<T>(promise: Promise<T>): Promise<T> {
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
 * Wait until the turn of an interrupted stream is saved: the server saves the turn once it notices
 * that the client has disconnected. Resolves when the turn is saved, or after the last check.
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
