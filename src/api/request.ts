/**
 * One way to the server: `ServerConnection`, which adds the token, the XSRF header and
 * the base URL. Nothing else in this project talks HTTP.
 */
import { URLExt } from '@jupyterlab/coreutils';
import { ServerConnection } from '@jupyterlab/services';

import type { ErrorBody } from './types';

/** A failure that can be shown: `message` is a sentence, `code` is fixed. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly body: Partial<ErrorBody> = {}
  ) {
    super(message);
    this.name = 'ApiError';
  }
}

export interface IRequestOptions {
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

/**
 * Send a request and return the answer if it is a good one.
 *
 * @throws ApiError for an answer of 400 and above, and with status 0 and code
 * `unreachable` where the server did not answer. An `AbortError` passes through.
 */
export async function request(
  settings: ServerConnection.ISettings,
  path: string,
  options: IRequestOptions = {}
): Promise<Response> {
  const url = URLExt.join(settings.baseUrl, 'aiserver', path);
  const { method = 'GET', body, headers = {}, signal } = options;
  const init: RequestInit = { method, signal, headers };
  if (body !== undefined) {
    init.body = JSON.stringify(body);
    init.headers = { 'Content-Type': 'application/json', ...headers };
  }
  let response: Response;
  try {
    response = await ServerConnection.makeRequest(url, init, settings);
  } catch (reason) {
    if (signal?.aborted) {
      throw reason;
    }
    throw new ApiError(0, 'unreachable', 'The Jupyter server does not answer.');
  }
  if (!response.ok && response.status !== 304) {
    throw await asError(response);
  }
  return response;
}

async function asError(response: Response): Promise<ApiError> {
  let body: Partial<ErrorBody> = {};
  try {
    body = await response.json();
  } catch {
    // Not ours: a proxy's page, perhaps. It is never shown.
  }
  const code = typeof body.code === 'string' ? body.code : 'error';
  const message =
    typeof body.message === 'string'
      ? body.message
      : `The server answered with status ${response.status}.`;
  return new ApiError(response.status, code, message, body);
}
