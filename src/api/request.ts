/**
 * Sends all requests to AI Server's HTTP API, through `ServerConnection`, which adds the token, the
 * XSRF header and the base URL.
 *
 * Invariants:
 * - Any text of a notebook can be sent, even if it isn't well-formed Unicode.
 * - A response that doesn't come from AI Server, such as a proxy's page or a login page, becomes an
 *   `ApiError`, and its text is never shown.
 * - Each `call` settles: if the response isn't complete after a minute, it throws an `ApiError`.
 */
import { URLExt } from '@jupyterlab/coreutils';
import { ServerConnection } from '@jupyterlab/services';

import { TimeoutError, withTimeout } from './timeout';
import type { ErrorBody } from './types';

/** A failed request. `code` identifies the failure; `message` is a sentence in English. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly body: Partial<ErrorBody> & {
      /** The URL of the login page, if the code is `unauthenticated`. */
      signIn?: string;
    } = {}
  ) {
    super(message);
    this.name = 'ApiError';
  }
}

export interface IRequestOptions {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** A `Blob` is sent as it is; any other value is sent as JSON. */
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
  /**
   * Whether the browser finishes the request even if the page is closed. Works only for small JSON
   * bodies; ignored for any other body.
   */
  keepalive?: boolean;
}

/**
 * Ticks (see `timeout.ts`) within which a `call` must get its complete response. With a slow network
 * folder or a provider, a server can take many seconds.
 */
const TIMEOUT_TICKS = 12;

/** Browsers refuse a `keepalive` request with a body of more than 65,536 bytes. */
const MAX_KEEPALIVE_BYTES = 60_000;

/**
 * Send a request and return the response, whose body may not have arrived yet.
 *
 * @throws ApiError with the server's code for an error of AI Server; with `unreachable` and status 0
 * if there is no response; with `unauthenticated` if the person must sign in; with `proxy_error` if
 * something else, such as a proxy, responds. `AbortError` if `signal` is aborted.
 */
export async function request(
  settings: ServerConnection.ISettings,
  path: string,
  options: IRequestOptions = {}
): Promise<Response> {
  const url = URLExt.join(settings.baseUrl, 'aiserver', path);
  const init = toInit(options);
  let response: Response;
  try {
    response = await ServerConnection.makeRequest(url, init, settings);
  } catch (reason) {
    throw options.signal?.aborted ? reason : unreachable();
  }
  const isFailed = !response.ok && response.status !== 304;
  if (isFailed || isHtmlPage(response)) {
    throw await toApiError(response, settings);
  }
  return response;
}

function toInit(options: IRequestOptions): RequestInit {
  const { method = 'GET', body, headers, signal } = options;
  if (body === undefined) {
    return { method, signal, headers };
  }
  const isBlob = body instanceof Blob;
  const content = isBlob ? body : JSON.stringify(body, toWellFormed);
  const type = isBlob ? body.type : 'application/json';
  return {
    method,
    signal,
    body: content,
    headers: { 'Content-Type': type, ...headers },
    // A UTF-16 code unit takes at most three bytes in UTF-8.
    keepalive:
      options.keepalive &&
      typeof content === 'string' &&
      content.length * 3 < MAX_KEEPALIVE_BYTES
  };
}

/**
 * Send a request and return what `read` reads from the response.
 *
 * @throws The errors of `request`; also ApiError with `unreachable` after the timeout.
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
  const abortableOptions = { ...options, signal: abort.signal };
  try {
    const result = request(settings, path, abortableOptions).then(read);
    return await withTimeout(result, TIMEOUT_TICKS);
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

/** Replace lone surrogates, because the server would reject them. */
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
  const body = await readErrorBody(response);
  // Status 403 means that the person is signed out or lacks the permission. A redirect to something
  // that isn't AI Server leads to a login page or another page, such as a proxy's. Only the server
  // knows whether the person is signed in.
  const mayBeSignedOut = status === 403 || (!body && response.redirected);
  if (status === 401 || (mayBeSignedOut && !(await isSignedIn(settings)))) {
    return new ApiError(
      status,
      'unauthenticated',
      'Your session has ended. Sign in again.',
      { signIn: settings.baseUrl }
    );
  }
  if (!body) {
    return notOurs(status);
  }
  return new ApiError(status, body.code, body.message, body);
}

async function readErrorBody(response: Response): Promise<ErrorBody | null> {
  try {
    const body = await response.json();
    const isErrorBody =
      typeof body.code === 'string' && typeof body.message === 'string';
    return isErrorBody && !response.ok ? body : null;
  } catch {
    return null;
  }
}

function isHtmlPage(response: Response): boolean {
  const type = response.headers?.get('Content-Type') ?? '';
  // Behind a redirect, a login page may come without its type, or with another one.
  return response.redirected
    ? /^(text\/plain|$)|html/.test(type)
    : type.startsWith('text/html');
}

async function isSignedIn(
  settings: ServerConnection.ISettings
): Promise<boolean> {
  const url = URLExt.join(settings.baseUrl, 'api/me');
  try {
    const response = await ServerConnection.makeRequest(url, {}, settings);
    const { ok, status } = response;
    return status !== 401 && status !== 403 && !(ok && isHtmlPage(response));
  } catch {
    // The server doesn't respond: report the original response.
    return true;
  }
}

/**
 * Return undefined if the response is empty.
 *
 * @throws ApiError with the code `proxy_error` if the response isn't JSON.
 */
export async function readJson(response: Response) {
  const text = await response.text();
  try {
    return text ? JSON.parse(text) : undefined;
  } catch {
    throw notOurs(response.status);
  }
}

function notOurs(status: number): ApiError {
  const message = `Something between this page and the Jupyter server answered (status ${status}).`;
  return new ApiError(status, 'proxy_error', message);
}
