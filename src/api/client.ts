/**
 * Every call of the HTTP API, typed. Models use it; widgets never do.
 */
import { ServerConnection } from '@jupyterlab/services';

import { answer } from './answer';
import { IRequestOptions, request } from './request';
import { within } from './timeout';
import { readEvents } from './stream';
import type {
  AnalyzeBody,
  Blame,
  BlameBody,
  Changes,
  ChangesBody,
  EventBody,
  Export,
  ExportBody,
  ExportFormat,
  GitChoice,
  GenerateBody,
  InstallBody,
  PlaceBody,
  InstallEvent,
  ISearchRequest,
  ModelList,
  NotebookBody,
  NotebookIdentity,
  NotebookSnapshot,
  Preview,
  PreviewBody,
  Replay,
  Report,
  SearchBody,
  SearchResults,
  Session,
  SessionEvent,
  SessionList,
  StreamEvent,
  Timeline,
  Verdict,
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
    await this._done(`generate/${generationId}`, {
      method: 'DELETE'
    });
  }

  async warmUp(body: WarmUpBody): Promise<void> {
    await this._done('models/warm-up', { method: 'POST', body });
  }

  async models(): Promise<ModelList> {
    return this._json('models');
  }

  /** What a request would send to the model. Nothing is sent for it. */
  async preview(body: PreviewBody): Promise<Preview> {
    return this._json('generate/preview', { method: 'POST', body });
  }

  /** Let a model answer from now on; null forgets the choice. */
  async chooseModel(model: string | null): Promise<void> {
    await this._done('models/choice', {
      method: 'PUT',
      body: { model }
    });
  }

  /**
   * Ask a provider whether it answers, takes the key and has the model. With a key or an
   * address, as if they were saved.
   */
  async check(
    model: string,
    key: string | null = null,
    address: string | null = null
  ): Promise<Verdict> {
    const body = { model, key, address };
    const found = await this._json<{ verdict: Verdict }>('models/check', {
      method: 'POST',
      body
    });
    return found.verdict;
  }

  /** The models that a provider lists, with what was entered for it or else what is saved. */
  async modelNames(
    provider: string,
    key: string | null,
    address: string | null
  ): Promise<string[]> {
    const body = { provider, key, address };
    const found = await this._json<{ models: string[] }>('models/names', {
      method: 'POST',
      body
    });
    return found.models;
  }

  /** Set a provider up, in place of what was kept of it. Nothing gives a key back. */
  async saveKey(
    provider: string,
    key: string | null,
    address: string | null,
    onThisMachine: boolean
  ): Promise<void> {
    await this._done(keyPath(provider), {
      method: 'PUT',
      body: { key, address, onThisMachine }
    });
  }

  /** Say whether the server at a provider's address is on the Jupyter server's machine. */
  async placeProvider(provider: string, onThisMachine: boolean): Promise<void> {
    await this._done(keyPath(provider), {
      method: 'PATCH',
      body: { onThisMachine } satisfies PlaceBody
    });
  }

  async removeKey(provider: string): Promise<void> {
    await this._done(keyPath(provider), { method: 'DELETE' });
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
    await this._done('models/local/install', { method: 'DELETE' });
  }

  async openNotebook(body: NotebookBody): Promise<NotebookIdentity> {
    return this._json('notebooks', { method: 'POST', body });
  }

  /** The git repository in which nobody has decided yet what becomes of the histories. */
  async undecidedRepository(): Promise<string | null> {
    return (await this._json<{ repository: string | null }>('git')).repository;
  }

  /** Have git ignore the histories, or merge them. */
  async decideGit(choice: GitChoice): Promise<void> {
    await this._done('git', { method: 'POST', body: { choice } });
  }

  async sessions(notebookId: string, offset = 0): Promise<SessionList> {
    const query = new URLSearchParams({ notebookId, offset: `${offset}` });
    return this._json(`sessions?${query}`);
  }

  async session(notebookId: string, cellId: string): Promise<Session> {
    return this._json(sessionPath(notebookId, cellId));
  }

  async replay(
    notebookId: string,
    cellId: string,
    signal?: AbortSignal
  ): Promise<Replay> {
    const path = `${sessionPath(notebookId, cellId)}/replay`;
    return this._json(path, { signal });
  }

  /** Who wrote each line: of `source`, of what the cell held after `step`, or of the last. */
  async blame(
    notebookId: string,
    cellId: string,
    body: BlameBody = {},
    signal?: AbortSignal
  ): Promise<Blame> {
    const path = `${sessionPath(notebookId, cellId)}/blame`;
    return this._json(path, { method: 'POST', body, signal });
  }

  /** A picture that is kept beside the histories. */
  async blob(sha256: string, signal?: AbortSignal): Promise<Blob> {
    const path = `blobs/${encodeURIComponent(sha256)}`;
    return answer(this.settings, path, { signal }, response => response.blob());
  }

  /** What happened in all cells of a notebook, in one order. */
  async timeline(notebookId: string, signal?: AbortSignal): Promise<Timeline> {
    return this._json(`${notebookPath(notebookId)}/timeline`, { signal });
  }

  /** The notebook as it was after a moment of the timeline of that version. */
  async moment(
    notebookId: string,
    index: number,
    version?: string,
    signal?: AbortSignal
  ): Promise<NotebookSnapshot> {
    const query = version ? `?${new URLSearchParams({ version })}` : '';
    const path = `${notebookPath(notebookId)}/moments/${index}${query}`;
    return this._json(path, { signal });
  }

  /** How many lines of the notebook the model wrote, and how many a person. */
  async report(notebookId: string, signal?: AbortSignal): Promise<Report> {
    return this._json(`${notebookPath(notebookId)}/report`, { signal });
  }

  /** The notebook's replay as one file; `path` is where the notebook is. */
  async exportReplay(
    notebookId: string,
    format: ExportFormat,
    path: string
  ): Promise<Export> {
    const body = { format, path } satisfies ExportBody;
    const to = `${notebookPath(notebookId)}/export`;
    return this._json(to, { method: 'POST', body });
  }

  /** The turns that fit some words, of one notebook or of all. */
  async search(
    ask: ISearchRequest,
    signal?: AbortSignal
  ): Promise<SearchResults> {
    const body = ask satisfies SearchBody;
    return this._json('search', { method: 'POST', body, signal });
  }

  async record(
    notebookId: string,
    cellId: string,
    events: EventBody[]
  ): Promise<SessionEvent[]> {
    const path = `${sessionPath(notebookId, cellId)}/events`;
    return this._json(path, { method: 'POST', body: events });
  }

  /** Record what happened to the cells of a notebook. `last`: the page may be going. */
  async recordChanges(
    notebookId: string,
    body: ChangesBody,
    last = false
  ): Promise<Changes> {
    const path = `${notebookPath(notebookId)}/changes`;
    return this._json(path, { method: 'POST', body, last });
  }

  /** Keep a small picture; answers with the name under which it is kept. */
  async putBlob(picture: Blob): Promise<string> {
    const options = { method: 'PUT', body: picture } as const;
    return (await this._json<{ sha256: string }>('blobs', options)).sha256;
  }

  private _json<T>(path: string, options: IRequestOptions = {}): Promise<T> {
    return answer(this.settings, path, options, response => response.json());
  }

  private _done(path: string, options: IRequestOptions): Promise<void> {
    return answer(this.settings, path, options, async () => undefined);
  }
}

function keyPath(provider: string): string {
  return `models/keys/${encodeURIComponent(provider)}`;
}

/** A file may hold any text as a cell's id; it must not lead to another route (P5). */
function sessionPath(...ids: string[]): string {
  return ['sessions', ...ids.map(encodeURIComponent)].join('/');
}

function notebookPath(notebookId: string): string {
  return `notebooks/${encodeURIComponent(notebookId)}`;
}
