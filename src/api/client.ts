/** Typed client of the HTTP API. Models use it; widgets never do. */
import { ServerConnection } from '@jupyterlab/services';

import { callApi } from './call';
import { IRequestOptions, request } from './request';
import { withTimeout } from './timeout';
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
  ICellKey,
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
  SearchResults,
  SessionEvent,
  SessionList,
  SessionSummary,
  StreamEvent,
  Timeline,
  Verdict,
  WarmUpBody
} from './types';

/** Ticks until a generation must begin; looking up a model beforehand takes time. */
const GENERATION_TICKS = 24;

export class ApiClient {
  constructor(readonly settings: ServerConnection.ISettings) {}

  /** Generate code; a body with `dataframes` asks about DataFrames of the kernel. */
  async *generate(
    body: GenerateBody | AnalyzeBody,
    signal?: AbortSignal
  ): AsyncGenerator<StreamEvent, void, void> {
    const path = 'dataframes' in body ? 'analyze-dataframe' : 'generate';
    const pending = request(this.settings, path, {
      method: 'POST',
      body,
      signal,
      headers: { Accept: 'text/event-stream' }
    });
    const response = await withTimeout(pending, GENERATION_TICKS);
    if (response.body) {
      yield* readEvents(response.body);
    }
  }

  /** Stop a generation; its stream then ends with `cancelled`. */
  async stop(generationId: string): Promise<void> {
    await this._requestVoid(`generate/${generationId}`, {
      method: 'DELETE'
    });
  }

  async warmUp(body: WarmUpBody): Promise<void> {
    await this._requestVoid('models/warm-up', { method: 'POST', body });
  }

  /** The available models. Simultaneous callers share one request. */
  models(): Promise<ModelList> {
    if (!this._models) {
      this._models = this._requestJson('models');
      void Promise.resolve().then(() => (this._models = null));
    }
    return this._models;
  }

  /** The messages that a request would send to the model. Sends nothing to the model. */
  async preview(body: PreviewBody): Promise<Preview> {
    return this._requestJson('generate/preview', { method: 'POST', body });
  }

  /** Choose the model for future requests; null resets the choice. */
  async chooseModel(model: string | null): Promise<void> {
    await this._requestVoid('models/choice', {
      method: 'PUT',
      body: { model }
    });
  }

  /**
   * Check whether a provider responds, accepts the key and has the model. A key or an address that
   * is passed is used instead of the saved one.
   */
  async check(
    model: string,
    key: string | null = null,
    address: string | null = null
  ): Promise<Verdict> {
    const body = { model, key, address };
    const { verdict } = await this._requestJson<{ verdict: Verdict }>(
      'models/check',
      { method: 'POST', body }
    );
    return verdict;
  }

  /** The models that a provider lists, with the given or else the saved key and address. */
  async modelNames(
    provider: string,
    key: string | null,
    address: string | null
  ): Promise<string[]> {
    const body = { provider, key, address };
    const { models } = await this._requestJson<{ models: string[] }>(
      'models/names',
      { method: 'POST', body }
    );
    return models;
  }

  /** Save the key and address of a provider. No call returns a saved key. */
  async saveKey(
    provider: string,
    key: string | null,
    address: string | null,
    onThisMachine: boolean
  ): Promise<void> {
    await this._requestVoid(keyPath(provider), {
      method: 'PUT',
      body: { key, address, onThisMachine }
    });
  }

  /** Set whether the server at a provider's address runs on the Jupyter server's machine. */
  async placeProvider(provider: string, onThisMachine: boolean): Promise<void> {
    await this._requestVoid(keyPath(provider), {
      method: 'PATCH',
      body: { onThisMachine } satisfies PlaceBody
    });
  }

  async removeKey(provider: string): Promise<void> {
    await this._requestVoid(keyPath(provider), { method: 'DELETE' });
  }

  /**
   * Install the local model, or follow a running installation. With `join`, only follow one (404
   * if there is none). Aborting the request doesn't stop the installation.
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
    await this._requestVoid('models/local/install', { method: 'DELETE' });
  }

  async openNotebook(body: NotebookBody): Promise<NotebookIdentity> {
    return this._requestJson('notebooks', { method: 'POST', body });
  }

  /** The git repository for which nobody has decided yet how git handles the histories. */
  async undecidedRepository(): Promise<string | null> {
    return (await this._requestJson<{ repository: string | null }>('git'))
      .repository;
  }

  /** Make git ignore the histories, or merge them. */
  async decideGit(choice: GitChoice): Promise<void> {
    await this._requestVoid('git', { method: 'POST', body: { choice } });
  }

  /** A summary for each cell of a notebook that has a session, deleted cells included. */
  async sessions(notebookId: string): Promise<SessionSummary[]> {
    const all: SessionSummary[] = [];
    for (;;) {
      const offset = `${all.length}`;
      const query = new URLSearchParams({ notebookId, offset });
      const page: SessionList = await this._requestJson(`sessions?${query}`);
      all.push(...page.sessions);
      if (all.length >= page.total || !page.sessions.length) {
        return all;
      }
    }
  }

  /** The steps of a cell; none if it has no session. */
  async replay(key: ICellKey, signal?: AbortSignal): Promise<Replay> {
    return this._requestJson(`${sessionPath(key)}/replay`, { signal });
  }

  /** The contributor of each line of `source`, of the version after `step`, or of the last one. */
  async blame(
    key: ICellKey,
    body: BlameBody,
    signal?: AbortSignal
  ): Promise<Blame> {
    const path = `${sessionPath(key)}/blame`;
    return this._requestJson(path, { method: 'POST', body, signal });
  }

  /** The thumbnail of an output, by the hash that its run recorded. */
  async blob(sha256: string, signal?: AbortSignal): Promise<Blob> {
    const path = `blobs/${encodeURIComponent(sha256)}`;
    return callApi(this.settings, path, { signal }, response =>
      response.blob()
    );
  }

  /** The changes of all cells of a notebook, in one order. */
  async timeline(notebookId: string, signal?: AbortSignal): Promise<Timeline> {
    return this._requestJson(`${notebookPath(notebookId)}/timeline`, {
      signal
    });
  }

  /** The notebook as it was after a moment of the timeline with that version. */
  async moment(
    notebookId: string,
    index: number,
    version?: string,
    signal?: AbortSignal
  ): Promise<NotebookSnapshot> {
    const query = version ? `?${new URLSearchParams({ version })}` : '';
    const path = `${notebookPath(notebookId)}/moments/${index}${query}`;
    return this._requestJson(path, { signal });
  }

  /** The number of lines of the notebook by kind of contributor. */
  async report(notebookId: string, signal?: AbortSignal): Promise<Report> {
    return this._requestJson(`${notebookPath(notebookId)}/report`, { signal });
  }

  /** Export the notebook's replay as one file; `path` is the notebook's path. */
  async exportReplay(
    notebookId: string,
    format: ExportFormat,
    path: string
  ): Promise<Export> {
    const body = { format, path } satisfies ExportBody;
    const url = `${notebookPath(notebookId)}/export`;
    return this._requestJson(url, { method: 'POST', body });
  }

  /** The turns that match a query, in one notebook or in all. */
  async search(
    body: ISearchRequest,
    signal?: AbortSignal
  ): Promise<SearchResults> {
    return this._requestJson('search', { method: 'POST', body, signal });
  }

  async record(key: ICellKey, events: EventBody[]): Promise<SessionEvent[]> {
    const path = `${sessionPath(key)}/events`;
    return this._requestJson(path, { method: 'POST', body: events });
  }

  /**
   * Record changes to the cells of a notebook. With `keepalive` the request outlives the page.
   */
  async recordChanges(
    notebookId: string,
    body: ChangesBody,
    keepalive = false
  ): Promise<Changes> {
    const path = `${notebookPath(notebookId)}/changes`;
    return this._requestJson(path, { method: 'POST', body, keepalive });
  }

  /** Store a thumbnail; returns its SHA-256. */
  async putBlob(image: Blob): Promise<string> {
    const options = { method: 'PUT', body: image } as const;
    return (await this._requestJson<{ sha256: string }>('blobs', options))
      .sha256;
  }

  private _requestJson<T>(
    path: string,
    options: IRequestOptions = {}
  ): Promise<T> {
    return callApi(this.settings, path, options, response => response.json());
  }

  private _requestVoid(path: string, options: IRequestOptions): Promise<void> {
    return callApi(this.settings, path, options, async () => undefined);
  }

  private _models: Promise<ModelList> | null = null;
}

function keyPath(provider: string): string {
  return `models/keys/${encodeURIComponent(provider)}`;
}

/** Path of a session. Ids are escaped: a file may use any text as a cell's id (P5). */
function sessionPath({ notebookId, cellId }: ICellKey): string {
  return ['sessions', ...[notebookId, cellId].map(encodeURIComponent)].join(
    '/'
  );
}

function notebookPath(notebookId: string): string {
  return `notebooks/${encodeURIComponent(notebookId)}`;
}
