import { ServerConnection } from '@jupyterlab/services';

import { IRequestOptions, call, readJson } from './request';
import type * as api from './types';

export class AgentsClient {
  constructor(private readonly _settings: ServerConnection.ISettings) {}

  list(notebookId: string): Promise<api.NotebookRuns> {
    return this._send('GET', `notebooks/${encodeURIComponent(notebookId)}`);
  }

  /** Choose what an agent may do in a notebook. `all` ends when this page closes. */
  choose(
    notebookId: string,
    agent: string,
    level: api.AgentLevel,
    page: string
  ): Promise<void> {
    const path = `notebooks/${encodeURIComponent(notebookId)}/permission`;
    return this._send('PUT', path, { agent, level, page });
  }

  /** Undo a run. With `preview`, only return what that would do. */
  undo(
    notebookId: string,
    run: string,
    path: string,
    preview: boolean
  ): Promise<api.UndoneRun> {
    const address = this._run(notebookId, run, 'undo');
    return this._send('POST', address, { path, preview });
  }

  /** Bring back what the undo of a run has replaced. */
  redo(notebookId: string, run: string, path: string): Promise<void> {
    return this._send('POST', this._run(notebookId, run, 'redo'), { path });
  }

  private _run(notebookId: string, run: string, action: string): string {
    const ids = [notebookId, run].map(encodeURIComponent).join('/');
    return `runs/${ids}/${action}`;
  }

  private _send<T>(
    method: IRequestOptions['method'],
    path: string,
    body?: unknown
  ): Promise<T> {
    const options = { method, body };
    return call(this._settings, `agents/${path}`, options, readJson);
  }
}
