import { ServerConnection } from '@jupyterlab/services';

import { CELL_TIMEOUT_MS, IFreshKernel, startFreshKernel } from './freshKernel';

const started: IFreshKernel[] = [];
afterEach(() => Promise.all(started.splice(0).map(each => each.shutdown())));

/** The kernel ends each run with the next item of `ends`. */
function setup() {
  const ends: (object | Error | null)[] = [];
  const kernel = {
    requestExecute: jest.fn(() => {
      const end = ends.shift();
      return {
        done:
          end instanceof Error
            ? Promise.reject(end)
            : end
              ? Promise.resolve({ content: end })
              : new Promise(() => undefined)
      };
    })
  };
  const session = {
    id: 's1',
    kernel,
    serverSettings: ServerConnection.makeSettings({
      baseUrl: 'http://localhost/base/'
    }),
    shutdown: jest.fn(async () => undefined)
  };
  const startNew = jest.fn(async (_options: { path: string }) => session);
  const start = async () => {
    const manager = { startNew } as never;
    const fresh = await startFreshKernel(manager, 'folder/a.ipynb', 'python3');
    started.push(fresh);
    return fresh;
  };
  return { ends, kernel, session, start, startNew };
}

const { signal } = new AbortController();

describe('a fresh kernel', () => {
  it('starts in the notebook’s folder, in a session of its own', async () => {
    const t = setup();
    await t.start();
    const [{ path, ...options }] = t.startNew.mock.calls[0];
    expect(path).toMatch(/^folder\/aiserver-/);
    expect(options).toMatchObject({ kernel: { name: 'python3' } });
  });

  it('reports how code ends, and allows no input', async () => {
    const t = setup();
    const fresh = await t.start();
    t.ends.push({ status: 'ok' }, { status: 'error', ename: 'KeyError' });
    expect(await fresh.run('a', signal)).toEqual({ status: 'ok' });
    expect(await fresh.run('b', signal)).toEqual({
      status: 'error',
      error: 'KeyError'
    });
    expect(t.kernel.requestExecute).toHaveBeenCalledWith(
      expect.objectContaining({ code: 'a', allow_stdin: false })
    );
    expect(t.session.shutdown).not.toHaveBeenCalled();
  });

  it('is shut down if code doesn’t end, and runs nothing afterwards', async () => {
    jest.useFakeTimers();
    try {
      const t = setup();
      const fresh = await t.start();
      t.ends.push(null);
      const result = fresh.run('while True: pass', signal);
      await jest.advanceTimersByTimeAsync(CELL_TIMEOUT_MS);
      expect(await result).toEqual({ status: 'timeout' });
      expect(t.session.shutdown).toHaveBeenCalledTimes(1);
      expect(await fresh.run('b', signal)).toEqual({ status: 'died' });
      await fresh.shutdown();
      expect(t.session.shutdown).toHaveBeenCalledTimes(1);
    } finally {
      jest.useRealTimers();
    }
  });

  it('is shut down if it dies', async () => {
    const t = setup();
    const fresh = await t.start();
    t.ends.push(new Error('Canceled future'));
    expect(await fresh.run('a', signal)).toEqual({ status: 'died' });
    expect(t.session.shutdown).toHaveBeenCalled();
  });

  it('stops waiting at once', async () => {
    const t = setup();
    const fresh = await t.start();
    const abort = new AbortController();
    t.ends.push(null);
    const result = fresh.run('a', abort.signal);
    abort.abort();
    expect(await result).toBeNull();
    expect(await fresh.run('b', abort.signal)).toBeNull();
    expect(t.kernel.requestExecute).toHaveBeenCalledTimes(1);
  });

  it('is shut down when the page is closed', async () => {
    const t = setup();
    const fresh = await t.start();
    const makeRequest = jest
      .spyOn(ServerConnection, 'makeRequest')
      .mockResolvedValue({} as Response);
    window.dispatchEvent(new Event('pagehide'));
    expect(makeRequest).toHaveBeenCalledWith(
      'http://localhost/base/api/sessions/s1',
      { method: 'DELETE', keepalive: true },
      t.session.serverSettings
    );
    await fresh.shutdown();
    window.dispatchEvent(new Event('pagehide'));
    expect(makeRequest).toHaveBeenCalledTimes(1);
    makeRequest.mockRestore();
  });
});
