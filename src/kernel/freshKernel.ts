/**
 * A separate kernel, in which code can run without changing the notebook's.
 *
 * Invariants:
 * - It starts in the notebook's folder, and isn't connected to the notebook.
 * - It is shut down by `shutdown`, when a cell exceeds the time limit, and when the page is closed.
 * - `input()` fails, as the kernel has no input.
 */
import { PathExt, URLExt } from '@jupyterlab/coreutils';
import { ServerConnection, type Session } from '@jupyterlab/services';
import { UUID } from '@lumino/coreutils';

/** After this time, a cell counts as not ending. */
export const CELL_TIMEOUT_MS = 60_000;
const MAX_NAME = 60;

/** `error` is the exception's name, such as `NameError`. */
export type IRunResult =
  | { readonly status: 'ok' | 'timeout' | 'died' }
  | { readonly status: 'error'; readonly error: string };

export interface IFreshKernel {
  /** Null if `signal` was aborted before the end. */
  run(code: string, signal: AbortSignal): Promise<IRunResult | null>;
  /** Never rejects. */
  shutdown(): Promise<void>;
  /** Whether it was shut down, or ended by itself. */
  readonly isShutDown: boolean;
}

/**
 * @param path - The notebook's path, whose folder becomes the kernel's.
 * @param name - The name of the kernel's specification, such as `python3`.
 */
export async function startFreshKernel(
  manager: Pick<Session.IManager, 'startNew'>,
  path: string,
  name: string
): Promise<IFreshKernel> {
  const session = await manager.startNew({
    // For the notebook's path, the server would return the notebook's own session.
    path: PathExt.join(PathExt.dirname(path), `aiserver-${UUID.uuid4()}`),
    name: 'AI Server',
    type: 'console',
    kernel: { name }
  });
  return new FreshKernel(session);
}

class FreshKernel implements IFreshKernel {
  constructor(private readonly _session: Session.ISessionConnection) {
    window.addEventListener('pagehide', this._onPageHide);
  }

  async run(code: string, signal: AbortSignal): Promise<IRunResult | null> {
    const { kernel } = this._session;
    if (signal.aborted || this._isShutDown || !kernel) {
      return signal.aborted ? null : { status: 'died' };
    }
    let timer = 0;
    let onAbort = () => undefined as void;
    try {
      const future = kernel.requestExecute({
        code,
        allow_stdin: false,
        stop_on_error: false
      });
      const result = await Promise.race([
        future.done.then(({ content }): IRunResult =>
          content.status === 'error'
            ? { status: 'error', error: content.ename.slice(0, MAX_NAME) }
            : { status: content.status === 'ok' ? 'ok' : 'died' }
        ),
        new Promise<IRunResult>(resolve => {
          timer = window.setTimeout(
            () => resolve({ status: 'timeout' }),
            CELL_TIMEOUT_MS
          );
        }),
        new Promise<null>(resolve => {
          onAbort = () => resolve(null);
          signal.addEventListener('abort', onAbort, { once: true });
        })
      ]);
      if (result?.status === 'timeout') {
        void this.shutdown();
      }
      return result;
    } catch {
      // The kernel died, or restarted by itself: its variables no longer exist.
      void this.shutdown();
      return signal.aborted ? null : { status: 'died' };
    } finally {
      window.clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    }
  }

  get isShutDown(): boolean {
    return this._isShutDown;
  }

  async shutdown(): Promise<void> {
    if (!this._isShutDown) {
      this._isShutDown = true;
      try {
        await this._session.shutdown();
        window.removeEventListener('pagehide', this._onPageHide);
      } catch {
        // The server can't be reached. `_onPageHide` tries again.
      }
    }
  }

  /** The browser sends this request even after the page is closed. */
  private readonly _onPageHide = () => {
    const { id, serverSettings } = this._session;
    const url = URLExt.join(
      serverSettings.baseUrl,
      'api/sessions',
      encodeURIComponent(id)
    );
    const init = { method: 'DELETE', keepalive: true };
    void ServerConnection.makeRequest(url, init, serverSettings).catch(
      () => undefined
    );
  };

  private _isShutDown = false;
}
