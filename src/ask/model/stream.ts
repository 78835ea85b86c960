/**
 * The response stream of one generation.
 *
 * Invariant: stopping a stream also stops the model: by a request or, if that fails or takes long,
 * by closing the connection.
 */
import type { ApiClient } from '../../api/client';
import type { AnalyzeBody, GenerateBody, StreamEvent } from '../../api/types';

export type GenerationApi = Pick<ApiClient, 'generate' | 'stop' | 'warmUp'>;

/** A stopped stream that has not ended by then is aborted. */
const STOP_TIMEOUT_MS = 5000;

/** The server refuses a generation while the cell's previous one shuts down. */
export const MAX_ATTEMPTS = 12;
const RETRY_DELAY_MS = 250;

export class GenerationStream {
  readonly abort = new AbortController();
  /** Call this when nothing more will be read from the stream. */
  end!: () => void;
  readonly ended = new Promise<void>(resolve => (this.end = resolve));
  generationId: string | null = null;
  turnId = 0;
  isStopped = false;

  /** While another generation of the cell runs, try up to `attempts` times. */
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
        const isRunning =
          (reason as { code?: string }).code === 'generation_running';
        if (!isRunning || attemptsLeft <= 1 || this.isStopped) {
          throw reason;
        }
        await new Promise(resolve => setTimeout(resolve, RETRY_DELAY_MS));
      }
    }
  }

  /** Reject as soon as the stream is aborted. */
  rejectOnAbort<T>(promise: Promise<T>): Promise<T> {
    const { signal } = this.abort;
    const aborted = new Promise<never>((_, reject) => {
      const onAbort = () => reject(new Error('The generation was aborted.'));
      signal.addEventListener('abort', onAbort, { once: true });
      if (signal.aborted) {
        onAbort();
      }
    });
    return Promise.race([promise, aborted]);
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
