import { ServerConnection } from '@jupyterlab/services';

import { IRequestOptions, call, readJson } from './request';
import type * as api from './types';

export class MemoryClient {
  constructor(private readonly _settings: ServerConnection.ISettings) {}

  list(): Promise<api.MemoryList> {
    return this._send('GET', '');
  }

  add(body: api.MemoryEntryBody): Promise<api.MemoryEntry> {
    return this._send('POST', '', body);
  }

  /** Change an entry, unless somebody else has changed it since it was fetched. */
  change(entry: api.MemoryEntry, text: string): Promise<api.MemoryEntry> {
    const body = { text, expected: entry.text } satisfies api.MemoryChangeBody;
    return this._send('PATCH', `/${entry.scope}/${entry.id}`, body);
  }

  /** Forget an entry, and delete the stored prompts that contain its text. */
  forget({
    scope,
    id
  }: Pick<api.MemoryEntry, 'scope' | 'id'>): Promise<api.ForgottenEntry> {
    return this._send('DELETE', `/${scope}/${id}`);
  }

  /** Choose whether entries of the project's memory are used. */
  review(digests: string[], used: boolean): Promise<void> {
    const body = { digests, used } satisfies api.MemoryReviewBody;
    return this._send('POST', '/review', body);
  }

  /** Find an accepted answer to a similar request in another notebook; null if there is none. */
  async pastAnswer(body: api.PastAnswerBody): Promise<api.PastAnswer | null> {
    const path = '/past-answer';
    return (await this._send<api.PastAnswerResult>('POST', path, body)).answer;
  }

  /** Fetch the texts that wait for the person's decision. */
  async proposals(): Promise<api.MemoryProposal[]> {
    const list = await this._send<api.MemoryProposalList>('GET', '/pending');
    return list.proposals;
  }

  propose(body: api.MemoryProposalBody): Promise<api.MemoryProposal> {
    return this._send('POST', '/pending', body);
  }

  confirm(id: string, body: api.MemoryConfirmBody): Promise<api.MemoryEntry> {
    return this._send('POST', `/pending/${id}/confirm`, body);
  }

  reject(id: string): Promise<void> {
    return this._send('POST', `/pending/${id}/reject`, {});
  }

  private _send<T>(
    method: IRequestOptions['method'],
    path: string,
    body?: unknown
  ): Promise<T> {
    const options = { method, body };
    return call(this._settings, `memory${path}`, options, readJson);
  }
}
