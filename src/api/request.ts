/**
 * Sends requests through `ServerConnection`, which adds the token, the XSRF header and the base
 * URL. No other file of the extension uses HTTP.
 *
 * Invariants:
 * - Any text of a notebook can be sent, even if it isn't well-formed Unicode.
 * - A response that doesn't come from AI Server (a proxy's page, a login page) is an error with a
 *   special code, and the response's text is never shown.
 * - Each `call` ends: a server that sends nothing for a minute counts as unreachable, so that the
 *   caller can continue and retry.
 */
import { URLExt } from '@jupyterlab/coreutils';
import { ServerConnection } from '@jupyterlab/services';

import { TimeoutError, withTimeout } from './timeout';
import type { ErrorBody } from './types';

/** A failed request: `code` identifies the failure, `message` is a sentence that can be shown. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly body: Partial<ErrorBody> & {
      /** With `unauthenticated`: the URL of the login page. */
      signIn?: string;
    } = {}
  ) {
    super(message);
    this.name = 'ApiError';
  }
}

export interface IRequestOptions {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
  /** Whether the browser finishes the request even if the page is closed. */
  keepalive?: boolean;
}

/** The timeout is long, because a slow network folder or a provider can take many seconds. */
const TIMEOUT_TICKS = 12;

/** The largest body of a `keepalive` request that browsers accept, in bytes. */
const MAX_KEEPALIVE_BYTES = 60_000;

/**
 * Send a request and return a successful response.
 *
 * @throws ApiError with the server's code for a status of 400 and above; with `unreachable`
 * (status 0) if the server did not respond, `unauthenticated` if the person must sign in, and
 * `proxy_error` if a proxy responded instead. An `AbortError` passes through.
 */
export async function request(
  settings: ServerConnection.ISettings,
  path: string,
  options: IRequestOptions = {}
): Promise<Response> {
  const url = URLExt.join(settings.baseUrl, 'aiserver', path);
  const { method = 'GET', body, headers = {}, signal } = options;
  const init: RequestInit = { method, signal, headers };
  if (body instanceof Blob) {
    init.body = body;
    init.headers = { 'Content-Type': body.type, ...headers };
  } else if (body !== undefined) {
    const text = JSON.stringify(body, toWellFormed);
    init.body = text;
    init.headers = { 'Content-Type': 'application/json', ...headers };
    // A UTF-16 code unit takes at most three bytes in UTF-8.
    init.keepalive = options.keepalive && text.length * 3 < MAX_KEEPALIVE_BYTES;
  }
  let response: Response;
  try {
    response = await ServerConnection.makeRequest(url, init, settings);
  } catch (reason) {
    if (signal?.aborted) {
      throw reason;
    }
    throw unreachable();
  }
  const isFailed = !response.ok && response.status !== 304;
  if (isFailed || isHtmlPage(response)) {
    throw await toApiError(response, settings);
  }
  return response;
}

/**
 * Send a request and read its response completely.
 *
 * @throws ApiError as `request` does, and with `unreachable` after the timeout. An `AbortError`
 * passes through.
 */
export async function call<T>(
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
  const own = { ...options, signal: abort.signal };
  try {
    const response = request(settings, path, own).then(read);
    return await withTimeout(response, TIMEOUT_TICKS);
  } catch (reason) {
    if (reason instanceof TimeoutError) {
      abort.abort();
      throw unreachable();
    }
    throw reason;
  } finally {
    signal?.removeEventListener('abort', forwardAbort);
  }
}

function unreachable(): ApiError {
  return new ApiError(0, 'unreachable', 'The Jupyter server does not answer.');
}

/** Replace lone surrogates (halves of an emoji): the server would reject the whole request. */
function toWellFormed(_: string, value: unknown): unknown {
  return typeof value === 'string'
    ? value.replace(/\p{Surrogate}/gu, '\uFFFD')
    : value;
}

async function toApiError(
  response: Response,
  settings: ServerConnection.ISettings
): Promise<ApiError> {
  const { status } = response;
  const body = await errorBody(response);
  // An HTML page after a redirect may be a login page; otherwise it comes from a proxy.
  const isAmbiguous = status === 403 || (!body && response.redirected);
  if (status === 401 || (isAmbiguous && !(await isSignedIn(settings)))) {
    return new ApiError(
      status,
      'unauthenticated',
      'Your session has ended. Sign in again.',
      { signIn: settings.baseUrl }
    );
  }
  if (!body) {
    return new ApiError(
      status,
      'proxy_error',
      `Something between this page and the Jupyter server answered (status ${status}).`
    );
  }
  return new ApiError(status, body.code, body.message, body);
}

/** The body of a response, if the body is one of AI Server's errors; null otherwise. */
async function errorBody(response: Response): Promise<ErrorBody | null> {
  try {
    const body = await response.json();
    const isOwnError =
      typeof body.code === 'string' && typeof body.message === 'string';
    return isOwnError && !response.ok ? body : null;
  } catch {
    return null;
  }
}

function isHtmlPage(response: Response): boolean {
  const type = response.headers?.get('Content-Type') ?? '';
  return type.startsWith('text/html');
}

/** Whether the person is still signed in: status 403 also means "not allowed". */
async function isSignedIn(
  settings: ServerConnection.ISettings
): Promise<boolean> {
  const url = URLExt.join(settings.baseUrl, 'api/me');
  try {
    const response = await ServerConnection.makeRequest(url, {}, settings);
    const { ok, status } = response;
    return status !== 401 && status !== 403 && !(ok && isHtmlPage(response));
  } catch {
    return true; // It can't be found out, so report the original response.
  }
}
