/**
 * A call that the server answers in one piece.
 *
 * What must hold: it ends. A server that says nothing for a minute is taken for one that is away,
 * so that whoever waits for it can go on, and try again.
 */
import { ServerConnection } from '@jupyterlab/services';

import { ApiError, IRequestOptions, request } from './request';
import { TimeoutError, within } from './timeout';

/** A folder on a slow network, or a provider that is looked up, takes seconds. */
const UNANSWERED_TICKS = 12;

/**
 * Send a request and read its answer to the end.
 *
 * @throws ApiError as `request` does, with `unreachable` also where no answer comes in time. An
 * `AbortError` passes through.
 */
export async function answer<T>(
  settings: ServerConnection.ISettings,
  path: string,
  options: IRequestOptions,
  read: (response: Response) => Promise<T>
): Promise<T> {
  const abort = new AbortController();
  const { signal } = options;
  const leave = () => abort.abort();
  if (signal?.aborted) {
    leave();
  }
  signal?.addEventListener('abort', leave);
  const whole = request(settings, path, { ...options, signal: abort.signal });
  try {
    return await within(whole.then(read), UNANSWERED_TICKS);
  } catch (reason) {
    if (reason instanceof TimeoutError) {
      abort.abort();
      throw new ApiError(
        0,
        'unreachable',
        'The Jupyter server does not answer.'
      );
    }
    throw reason;
  } finally {
    signal?.removeEventListener('abort', leave);
  }
}
