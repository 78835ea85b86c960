import { ServerConnection } from '@jupyterlab/services';

import { IRequestOptions, call, readJson } from './request';
import type * as api from './types';

export class NoteClient {
  constructor(private readonly _settings: ServerConnection.ISettings) {}

  get(notebookId: string): Promise<api.NoteResult> {
    return this._send('GET', notebookId);
  }

  /** Make the note from the notebook's cells, if it is missing or outdated. */
  update(notebookId: string, body: api.NoteBody): Promise<api.NoteResult> {
    return this._send('POST', notebookId, body);
  }

  /** Replace the text of the note, or choose whether requests contain it. */
  change(
    notebookId: string,
    body: api.NoteChangeBody
  ): Promise<api.NoteResult> {
    return this._send('PATCH', notebookId, body);
  }

  /** Delete the note, and the stored prompts that contain it. */
  delete(notebookId: string): Promise<api.ForgottenEntry> {
    return this._send('DELETE', notebookId);
  }

  private _send<T>(
    method: IRequestOptions['method'],
    notebookId: string,
    body?: unknown
  ): Promise<T> {
    const path = `notebooks/${encodeURIComponent(notebookId)}/note`;
    return call(this._settings, path, { method, body }, readJson);
  }
}
