import { ServerConnection } from '@jupyterlab/services';

import { request } from './request';

interface IAnswer {
  status?: number;
  type?: string;
  body?: string;
  redirected?: boolean;
}

/** Answers by path; a path without one can't be reached. */
function server(answers: Record<string, IAnswer>) {
  const asked: string[] = [];
  const fetch = async (input: RequestInfo) => {
    const path = new URL((input as Request).url ?? input).pathname;
    asked.push(path);
    const answer = answers[path];
    if (!answer) {
      throw new TypeError('Failed to fetch');
    }
    const { status = 200, type = 'application/json', body = '{}' } = answer;
    const headers = new Map([['content-type', type]]);
    return {
      status,
      ok: status < 400,
      redirected: answer.redirected ?? false,
      headers: { get: (name: string) => headers.get(name.toLowerCase()) ?? '' },
      json: async () => JSON.parse(body)
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
  return { asked, settings };
}

const OURS = (code: string) =>
  JSON.stringify({ code, message: 'A sentence.', requestId: 'r' });
const PAGE = { type: 'text/html; charset=utf-8', body: '<h1>canary</h1>' };

describe('request', () => {
  it.each<[string, string, Record<string, IAnswer>]>([
    ['no answer', 'unreachable', {}],
    [
      'an error of ours',
      'storage_full',
      { '/base/aiserver/x': { status: 507, body: OURS('storage_full') } }
    ],
    [
      'a proxy that found no server',
      'proxy_error',
      { '/base/aiserver/x': { status: 502, ...PAGE } }
    ],
    [
      'a page that says all is well',
      'proxy_error',
      { '/base/aiserver/x': PAGE }
    ],
    [
      'a proxy’s error in JSON',
      'proxy_error',
      { '/base/aiserver/x': { status: 504, body: '{"error": "canary"}' } }
    ],
    [
      'a login page that we were led to',
      'unauthenticated',
      {
        '/base/aiserver/x': { ...PAGE, redirected: true },
        '/base/api/me': PAGE
      }
    ],
    [
      'a refusal after the session has ended',
      'unauthenticated',
      {
        '/base/aiserver/x': { status: 403, body: OURS('forbidden') },
        '/base/api/me': { status: 403 }
      }
    ],
    [
      'a refusal of who is signed in',
      'forbidden',
      {
        '/base/aiserver/x': { status: 403, body: OURS('forbidden') },
        '/base/api/me': {}
      }
    ],
    [
      'a request to sign in',
      'unauthenticated',
      { '/base/aiserver/x': { status: 401, ...PAGE } }
    ]
  ])('%s is %s, in words of ours', async (_, code, answers) => {
    const { settings } = server(answers);
    const reason = await request(settings, 'x').catch(error => error);
    expect(reason.code).toBe(code);
    expect(reason.message).not.toContain('canary');
    expect(reason.body.signIn).toBe(
      code === 'unauthenticated' ? 'http://host/base/' : undefined
    );
  });

  it('gives a good answer, and asks for nothing else', async () => {
    const { asked, settings } = server({ '/base/aiserver/x': { body: '[1]' } });
    expect(await (await request(settings, 'x')).json()).toEqual([1]);
    expect(asked).toEqual(['/base/aiserver/x']);
  });
});
