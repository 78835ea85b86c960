/**
 * Every call of the HTTP API, typed. Models use it; widgets never do.
 */
import { ServerConnection } from '@jupyterlab/services';

import { request } from './request';
import { within } from './silence';
import { readEvents } from './stream';
import type {
  AnalyzeBody,
  EventBody,
  GenerateBody,
  InstallBody,
  InstallEvent,
  ModelList,
  NotebookBody,
  NotebookIdentity,
  Preview,
  PreviewBody,
  Replay,
  Session,
  SessionEvent,
  SessionList,
  StreamEvent,
  WarmUpBody
} from './types';

/** A model may have to be looked up before the answer begins; then it is the server that is gone. */
const UNHEARD_TICKS = 24;

export class ApiClient {
  constructor(readonly settings: ServerConnection.ISettings) {}

  /** Ask for code; with `dataframes` the request is about DataFrames of the kernel. */
  async *generate(
    body: GenerateBody | AnalyzeBody,
    signal?: AbortSignal
  ): AsyncGenerator<StreamEvent, void, void> {
    const path = 'dataframes' in body ? 'analyze-dataframe' : 'generate';
    const answer = request(this.settings, path, {
      method: 'POST',
      body,
      signal,
      headers: { Accept: 'text/event-stream' }
    });
    const response = await within(answer, UNHEARD_TICKS);
    if (response.body) {
      yield* readEvents(response.body);
    }
  }

  /** Stop a generation; its stream then ends with `cancelled`. */
  async stop(generationId: string): Promise<void> {
    await request(this.settings, `generate/${generationId}`, {
      method: 'DELETE'
    });
  }

  async warmUp(body: WarmUpBody): Promise<void> {
    await request(this.settings, 'models/warm-up', { method: 'POST', body });
  }

  async models(): Promise<ModelList> {
    return (await request(this.settings, 'models')).json();
  }

  /** What a request would send to the model. Nothing is sent for it. */
  async preview(body: PreviewBody): Promise<Preview> {
    const response = await request(this.settings, 'generate/preview', {
      method: 'POST',
      body
    });
    return response.json();
  }

  /** Let a model answer from now on; null forgets the choice. */
  async chooseModel(model: string | null): Promise<void> {
    await request(this.settings, 'models/choice', {
      method: 'PUT',
      body: { model }
    });
  }

  /** Set a provider up, in place of what was kept of it. Nothing gives a key back. */
  async saveKey(
    provider: string,
    key: string | null,
    address: string | null
  ): Promise<void> {
    await request(this.settings, keyPath(provider), {
      method: 'PUT',
      body: { key, address }
    });
  }

  async removeKey(provider: string): Promise<void> {
    await request(this.settings, keyPath(provider), { method: 'DELETE' });
  }

  /**
   * Install the local model, or follow the installation that runs; with `join` only that, and
   * a 404 if none runs. Leaving stops nothing.
   */
  async *installLocal(
    join: boolean,
    signal?: AbortSignal
  ): AsyncGenerator<InstallEvent, void, void> {
    const response = await request(this.settings, 'models/local/install', {
      method: 'POST',
      body: { join } satisfies InstallBody,
      signal,
      headers: { Accept: 'text/event-stream' }
    });
    if (response.body) {
      yield* readEvents<InstallEvent>(response.body);
    }
  }

  async stopInstall(): Promise<void> {
    await request(this.settings, 'models/local/install', { method: 'DELETE' });
  }

  async openNotebook(body: NotebookBody): Promise<NotebookIdentity> {
    const response = await request(this.settings, 'notebooks', {
      method: 'POST',
      body
    });
    return response.json();
  }

  async sessions(notebookId: string, offset = 0): Promise<SessionList> {
    const query = new URLSearchParams({ notebookId, offset: `${offset}` });
    return (await request(this.settings, `sessions?${query}`)).json();
  }

  async session(notebookId: string, cellId: string): Promise<Session> {
    return (
      await request(this.settings, sessionPath(notebookId, cellId))
    ).json();
  }

  async replay(
    notebookId: string,
    cellId: string,
    signal?: AbortSignal
  ): Promise<Replay> {
    const path = `${sessionPath(notebookId, cellId)}/replay`;
    return (await request(this.settings, path, { signal })).json();
  }

  async record(
    notebookId: string,
    cellId: string,
    events: EventBody[]
  ): Promise<SessionEvent[]> {
    const path = `${sessionPath(notebookId, cellId)}/events`;
    return (
      await request(this.settings, path, { method: 'POST', body: events })
    ).json();
  }
}

function keyPath(provider: string): string {
  return `models/keys/${encodeURIComponent(provider)}`;
}

/** A file may hold any text as a cell's id; it must not lead to another route (P5). */
function sessionPath(...ids: string[]): string {
  return ['sessions', ...ids.map(encodeURIComponent)].join('/');
}
