import { ServerConnection } from '@jupyterlab/services';

import { ApiClient } from './client';

/** Return a client whose server responds with these bodies in turn, and the client's requests. */
function clientOf(...bodies: unknown[]) {
  const fetch = jest.fn(
    async (_: RequestInfo) => new Response(JSON.stringify(bodies.shift()))
  );
  return { client: createClient(fetch as typeof globalThis.fetch), fetch };
}

function createClient(fetch: typeof globalThis.fetch): ApiClient {
  const baseUrl = 'http://localhost/base/';
  return new ApiClient(ServerConnection.makeSettings({ baseUrl, fetch }));
}

describe('ApiClient', () => {
  it('escapes cell ids in paths, so that they reach no other route (P5)', async () => {
    const { client, fetch } = clientOf([], []);
    await client.record(
      { notebookId: 'nb', cellId: '../../../api/shutdown?' },
      []
    );
    await client.replay({ notebookId: 'nb', cellId: 'c#1' });
    const paths = fetch.mock.calls.map(
      ([request]) => new URL((request as Request).url).pathname
    );
    expect(paths).toEqual([
      '/base/aiserver/sessions/nb/..%2F..%2F..%2Fapi%2Fshutdown%3F/events',
      '/base/aiserver/sessions/nb/c%231/replay'
    ]);
  });

  it('puts no query and no path into a URL, which servers and proxies log (P8)', async () => {
    const { client, fetch } = clientOf({}, {});
    const query = 'salary of 小明';
    const page = { offset: 0, limit: 20 };
    await client.search({ query, notebookId: null, by: 'words', ...page });
    await client.exportReplay('nb', 'html', 'secret folder/a.ipynb');
    const sent = fetch.mock.calls.map(([request]) => request as Request);
    // ServerConnection adds a timestamp, so that no cache is used.
    const urls = sent.map(({ url }) => url.replace(/\?\d+$/, ''));
    expect(urls).toEqual([
      'http://localhost/base/aiserver/search',
      'http://localhost/base/aiserver/notebooks/nb/export'
    ]);
    expect(await sent[0].json()).toMatchObject({ query });
    expect(await sent[1].json()).toEqual({
      format: 'html',
      path: 'secret folder/a.ipynb'
    });
  });

  it.each<[string, Partial<Response> | null]>([
    ['starts', null],
    ['ends', { ok: true, status: 200, text: () => new Promise(() => null) }]
  ])(
    'treats a server whose response never %s as unreachable (P36)',
    async (_, response) => {
      jest.useFakeTimers();
      let signal: AbortSignal | undefined;
      const fetch = (request: RequestInfo) => {
        signal = (request as Request).signal;
        return response
          ? Promise.resolve(response as Response)
          : new Promise<Response>(() => undefined);
      };
      const failed = createClient(fetch as typeof globalThis.fetch)
        .openNotebook({ path: 'a.ipynb', notebookId: null, cellIds: [] })
        .catch(reason => reason);
      await jest.advanceTimersByTimeAsync(120_000);
      expect(await failed).toMatchObject({ status: 0, code: 'unreachable' });
      expect(signal?.aborted).toBe(true);
      expect(jest.getTimerCount()).toBe(0);
      jest.useRealTimers();
    }
  );

  it('reads all pages of summaries', async () => {
    const [a, b, c] = ['a', 'b', 'c'].map(cellId => ({ cellId }));
    const { client, fetch } = clientOf(
      { sessions: [a, b], total: 3 },
      { sessions: [c], total: 3 }
    );
    expect(await client.sessions('nb')).toEqual([a, b, c]);
    const urls = fetch.mock.calls.map(([request]) => (request as Request).url);
    const offsets = urls.map(url => new URL(url).searchParams.get('offset'));
    expect(offsets).toEqual(['0', '2']);
  });

  it('stops at an empty page', async () => {
    const { client } = clientOf({ sessions: [], total: 9 });
    expect(await client.sessions('nb')).toEqual([]);
  });

  it('shares one request for models among simultaneous callers', async () => {
    const { client, fetch } = clientOf({ models: [] }, { models: [] });
    await Promise.all([client.models(), client.models(), client.models()]);
    expect(fetch).toHaveBeenCalledTimes(1);
    await client.models(); // The list may have changed since.
    expect(fetch).toHaveBeenCalledTimes(2);
  });

  it('replaces lone surrogates, which the server would reject', async () => {
    const { client, fetch } = clientOf({}, {});
    const source = 'a\ud83d|\ude00b|😀';
    await client.warmUp({
      notebookId: 'nb',
      cellId: 'c1',
      source,
      context: { cells: [{ cellId: 'c0', cellType: 'code', source }] }
    });
    const sent = await (fetch.mock.calls[0][0] as Request).json();
    const replaced = 'a\ufffd|\ufffdb|😀';
    expect(sent.source).toBe(replaced);
    expect(sent.context.cells[0].source).toBe(replaced);
  });
});
