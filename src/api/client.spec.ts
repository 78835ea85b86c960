import { ServerConnection } from '@jupyterlab/services';

import { ApiClient } from './client';

describe('ApiClient', () => {
  it('reaches no other route, whatever a file calls its cells (P5)', async () => {
    const fetch = jest.fn(
      async (_: RequestInfo) => new Response('[]', { status: 200 })
    );
    const settings = ServerConnection.makeSettings({
      baseUrl: 'http://localhost/base/',
      fetch: fetch as typeof globalThis.fetch
    });
    const client = new ApiClient(settings);
    await client.record('nb', '../../../api/shutdown?', []);
    await client.replay('nb', 'c#1');
    const paths = fetch.mock.calls.map(
      ([request]) => new URL((request as Request).url).pathname
    );
    expect(paths).toEqual([
      '/base/aiserver/sessions/nb/..%2F..%2F..%2Fapi%2Fshutdown%3F/events',
      '/base/aiserver/sessions/nb/c%231/replay'
    ]);
  });
});
