/**
 * One way to the server: `ServerConnection`, which adds the token, the XSRF header and
 * the base URL. Nothing else in this project talks HTTP.
 *
 * What must hold: any text can be sent, whatever a file holds; an answer that is not AI Server's (a
 * proxy's page, a login page) is an error with a code of its own, and its text is never shown.
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
    readonly body: Partial<ErrorBody> & {
      /** With `unauthenticated`: the page that lets one sign in. */
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
  /** It may be the last that the page sends: the browser sends it though the page be gone. */
  last?: boolean;
}

/** What a browser still sends for a page that is gone. */
const MOST_OF_THE_LAST = 60_000;

/**
 * Send a request and return the answer if it is a good one.
 *
 * @throws ApiError for an answer of 400 and above with the server's code; with `unreachable`
 * (status 0) where the server did not answer, `unauthenticated` where the person must sign in,
 * `proxy_error` where something on the way answered in its place. An `AbortError` passes through.
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
    const text = JSON.stringify(body, wellFormed);
    init.body = text;
    init.headers = { 'Content-Type': 'application/json', ...headers };
    // At three bytes a character, it is surely not more than that.
    init.keepalive = options.last && text.length * 3 < MOST_OF_THE_LAST;
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
  const refused = !response.ok && response.status !== 304;
  if (refused || isPage(response)) {
    throw await asError(response, settings);
  }
  return response;
}

/** Half a surrogate pair (an emoji that was cut in two) is no text: the server would refuse it all. */
function wellFormed(_: string, value: unknown): unknown {
  return typeof value === 'string'
    ? value.replace(/\p{Surrogate}/gu, '\uFFFD')
    : value;
}

async function asError(
  response: Response,
  settings: ServerConnection.ISettings
): Promise<ApiError> {
  const { status } = response;
  const body = await errorBody(response);
  // A page in place of an answer is a login page if we were led there, else a proxy's.
  const doubtful = status === 403 || (!body && response.redirected);
  if (status === 401 || (doubtful && !(await isSignedIn(settings)))) {
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

/** The body, if it is an error of ours. */
async function errorBody(response: Response): Promise<ErrorBody | null> {
  try {
    const body = await response.json();
    const ours =
      typeof body.code === 'string' && typeof body.message === 'string';
    return ours && !response.ok ? body : null;
  } catch {
    return null;
  }
}

function isPage(response: Response): boolean {
  const type = response.headers?.get('Content-Type') ?? '';
  return type.startsWith('text/html');
}

/** Whether the server still knows who we are: it answers 403 for that and for "not allowed". */
async function isSignedIn(
  settings: ServerConnection.ISettings
): Promise<boolean> {
  const url = URLExt.join(settings.baseUrl, 'api/me');
  try {
    const answer = await ServerConnection.makeRequest(url, {}, settings);
    const { ok, status } = answer;
    return status !== 401 && status !== 403 && !(ok && isPage(answer));
  } catch {
    return true; // Nothing can be said; then the first answer counts.
  }
}
