/**
 * Calls of the HTTP API whose response is read completely.
 *
 * Invariant: each call ends. A server that sends nothing for a minute counts as unreachable, so
 * that the caller can continue and retry.
 */
import { ServerConnection } from '@jupyterlab/services';

import { ApiError, IRequestOptions, request } from './request';
import { TimeoutError, withTimeout } from './timeout';

/** Generous: reading a folder on a slow network or querying a provider takes seconds. */
const TIMEOUT_TICKS = 12;

/**
 * Send a request and read its response completely.
 *
 * @throws ApiError as `request` does, and with `unreachable` after the timeout. An `AbortError`
 * passes through.
 */
export async function callApi<T>(
  settings: ServerConnection.ISettings,
  path: string,
  options: IRequestOptions,
  read: (response: Response) => Promise<T>
): Promise<T> {
  const abort = new AbortController();
  const { signal } = options;
  const forwardAbort = () => abort.abort();
  if (signal?.aborted) {
    forwardAbort();
  }
  signal?.addEventListener('abort', forwardAbort);
  const response = request(settings, path, {
    ...options,
    signal: abort.signal
  });
  try {
    return await withTimeout(response.then(read), TIMEOUT_TICKS);
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
    signal?.removeEventListener('abort', forwardAbort);
  }
}
