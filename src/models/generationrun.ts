/**
 * One sending of a request, from the first byte to the last.
 *
 * What must hold: once stopped, the model behind it stops too: by being told, and where
 * that fails by the connection being cut.
 */
import type { ApiClient } from '../api/client';
import type { AnalyzeBody, GenerateBody, StreamEvent } from '../api/types';

/** The calls that a generation needs; `ApiClient` has them. */
export type GenerationApi = Pick<ApiClient, 'generate' | 'stop' | 'warmUp'>;

/** A stopped stream that has not ended by then is cut off. */
const STOP_MS = 5000;

/** How often, and after how long, it is tried to follow on a generation that was stopped. */
export const TRIES = 12;
const TRY_MS = 250;

export class Run {
  readonly abort = new AbortController();
  generationId: string | null = null;
  stopped = false;

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
