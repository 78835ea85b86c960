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

  it('puts no search word and no path into a URL, which servers and proxies log (P8)', async () => {
    const fetch = jest.fn(
      async (_: RequestInfo) => new Response('{}', { status: 200 })
    );
    const settings = ServerConnection.makeSettings({
      baseUrl: 'http://localhost/',
      fetch: fetch as typeof globalThis.fetch
    });
    const client = new ApiClient(settings);
    const query = 'salary of 小明';
    const page = { offset: 0, limit: 20 };
    await client.search({ query, notebookId: null, by: 'words', ...page });
    await client.exportReplay('nb', 'html', 'secret folder/a.ipynb');
    const sent = fetch.mock.calls.map(([request]) => request as Request);
    // ServerConnection adds the time, so that no cache answers.
    const urls = sent.map(({ url }) => url.replace(/\?\d+$/, ''));
    expect(urls).toEqual([
      'http://localhost/aiserver/search',
      'http://localhost/aiserver/notebooks/nb/export'
    ]);
    expect(await sent[0].json()).toMatchObject({ query });
    expect(await sent[1].json()).toEqual({
      format: 'html',
      path: 'secret folder/a.ipynb'
    });
  });

  it.each<[string, Partial<Response> | null]>([
    ['begins', null],
    ['ends', { ok: true, status: 200, json: () => new Promise(() => null) }]
  ])(
    'takes a server whose answer never %s for one that is away (P36)',
    async (_, response) => {
      jest.useFakeTimers();
      let signal: AbortSignal | undefined;
      const fetch = (request: RequestInfo) => {
        signal = (request as Request).signal;
        return response
          ? Promise.resolve(response as Response)
          : new Promise<Response>(() => undefined);
      };
      const settings = ServerConnection.makeSettings({
        baseUrl: 'http://localhost/',
        fetch: fetch as typeof globalThis.fetch
      });
      const failed = new ApiClient(settings)
        .openNotebook({ path: 'a.ipynb', notebookId: null, cellIds: [] })
        .catch(reason => reason);
      await jest.advanceTimersByTimeAsync(120_000);
      expect(await failed).toMatchObject({ status: 0, code: 'unreachable' });
      expect(signal?.aborted).toBe(true);
      expect(jest.getTimerCount()).toBe(0);
      jest.useRealTimers();
    }
  );

  it('sends text that holds half an emoji: one in a cell before would stop each request', async () => {
    const fetch = jest.fn(
      async (_: RequestInfo) => new Response('{}', { status: 200 })
    );
    const settings = ServerConnection.makeSettings({
      baseUrl: 'http://localhost/',
      fetch: fetch as typeof globalThis.fetch
    });
    const source = 'a\ud83d|\ude00b|😀';
    await new ApiClient(settings).warmUp({
      notebookId: 'nb',
      cellId: 'c1',
      source,
      context: { cells: [{ cellId: 'c0', cellType: 'code', source }] }
    });
    const sent = await (fetch.mock.calls[0][0] as Request).json();
    const mended = 'a\ufffd|\ufffdb|😀';
    expect(sent.source).toBe(mended);
    expect(sent.context.cells[0].source).toBe(mended);
  });
});
