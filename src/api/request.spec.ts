import { ServerConnection } from '@jupyterlab/services';

import { call, readJson, request } from './request';

interface IResponse {
  status?: number;
  type?: string;
  body?: string;
  redirected?: boolean;
}

/** A server with one response per path; other paths are unreachable. */
function fakeServer(responses: Record<string, IResponse>) {
  const requested: string[] = [];
  const fetch = async (input: RequestInfo) => {
    const path = new URL((input as Request).url ?? input).pathname;
    requested.push(path);
    const response = responses[path];
    if (!response) {
      throw new TypeError('Failed to fetch');
    }
    const { status = 200, type = 'application/json', body = '{}' } = response;
    const headers = new Map([['content-type', type]]);
    return {
      status,
      ok: status < 400,
      redirected: response.redirected ?? false,
      headers: { get: (name: string) => headers.get(name.toLowerCase()) ?? '' },
      json: async () => JSON.parse(body),
      text: async () => body
    };
  };
  const settings = ServerConnection.makeSettings({
    baseUrl: 'http://host/base/',
    appendToken: false,
    token: '',
    fetch: fetch as unknown as typeof globalThis.fetch,
    Request: class {
      constructor(readonly url: string) {}
      readonly headers = new Headers();
    } as unknown as typeof Request
  });
  return { requested, settings };
}

const errorBody = (code: string) =>
  JSON.stringify({ code, message: 'A sentence.', requestId: 'r' });
const PAGE = { type: 'text/html; charset=utf-8', body: '<h1>canary</h1>' };

describe('request', () => {
  it.each<[string, string, Record<string, IResponse>]>([
    ['no response', 'unreachable', {}],
    [
      'an error of AI Server',
      'storage_full',
      { '/base/aiserver/x': { status: 507, body: errorBody('storage_full') } }
    ],
    [
      'a proxy without a server behind it',
      'proxy_error',
      { '/base/aiserver/x': { status: 502, ...PAGE } }
    ],
    ['a successful HTML page', 'proxy_error', { '/base/aiserver/x': PAGE }],
    [
      'a proxy’s error in JSON',
      'proxy_error',
      { '/base/aiserver/x': { status: 504, body: '{"error": "canary"}' } }
    ],
    [
      'a redirect to a login page',
      'unauthenticated',
      {
        '/base/aiserver/x': { ...PAGE, redirected: true },
        '/base/api/me': PAGE
      }
    ],
    [
      'a redirect to a login page without a type',
      'unauthenticated',
      {
        '/base/aiserver/x': { ...PAGE, type: '', redirected: true },
        '/base/api/me': { ...PAGE, type: '', redirected: true }
      }
    ],
    [
      'a successful response that isn’t JSON',
      'proxy_error',
      { '/base/aiserver/x': { ...PAGE, type: 'text/plain' } }
    ],
    [
      'status 403 after the session has ended',
      'unauthenticated',
      {
        '/base/aiserver/x': { status: 403, body: errorBody('forbidden') },
        '/base/api/me': { status: 403 }
      }
    ],
    [
      'status 403 while signed in',
      'forbidden',
      {
        '/base/aiserver/x': { status: 403, body: errorBody('forbidden') },
        '/base/api/me': {}
      }
    ],
    [
      'status 401',
      'unauthenticated',
      { '/base/aiserver/x': { status: 401, ...PAGE } }
    ]
  ])(
    '%s is reported as %s, without the text of the response',
    async (_, code, responses) => {
      const { settings } = fakeServer(responses);
      const reason = await call(settings, 'x', {}, readJson).catch(
        error => error
      );
      expect(reason.code).toBe(code);
      expect(reason.message).not.toContain('canary');
      expect(reason.body.signIn).toBe(
        code === 'unauthenticated' ? 'http://host/base/' : undefined
      );
    }
  );

  it('returns a successful response without further requests', async () => {
    const { requested, settings } = fakeServer({
      '/base/aiserver/x': { body: '[1]' }
    });
    expect(await (await request(settings, 'x')).json()).toEqual([1]);
    expect(requested).toEqual(['/base/aiserver/x']);
  });
});
