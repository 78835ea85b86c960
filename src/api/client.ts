/** A typed client of the HTTP API. Views use it only to load thumbnails. */
import { ServerConnection } from '@jupyterlab/services';

import { MemoryClient } from './memoryClient';
import { IRequestOptions, call, readJson, request } from './request';
import { withTimeout } from './timeout';
import { readEvents } from './stream';
import type * as api from './types';

/**
 * Ticks (see `timeout.ts`) within which a streamed response must begin: the server looks up the
 * model first.
 */
const STREAM_TICKS = 24;

export class ApiClient {
  constructor(readonly settings: ServerConnection.ISettings) {
    this.memory = new MemoryClient(settings);
  }

  readonly memory: MemoryClient;

  /** Generate code. A body with `dataframes` is about DataFrames in the kernel. */
  generate(body: api.GenerateBody | api.AnalyzeBody, signal?: AbortSignal) {
    const path = 'dataframes' in body ? 'analyze-dataframe' : 'generate';
    return this._stream<api.StreamEvent>(path, body, signal);
  }

  /** Stop a generation, whose stream then ends with the event `cancelled`. */
  stop(generationId: string) {
    return this._send<void>('DELETE', `generate/${generationId}`);
  }

  /** Aborting the request stops the model. */
  complete(body: api.CompletionBody, signal?: AbortSignal) {
    return this._send<api.Completion>('POST', 'complete', body, { signal });
  }

  /** Let a local model read the context of a cell before there is a request. */
  warmUp(body: api.WarmUpBody) {
    return this._send<void>('POST', 'models/warm-up', body);
  }

  /** Prompt rows that react to the same event share one request. */
  models(): Promise<api.ModelList> {
    if (!this._pendingModels) {
      this._pendingModels = this._get('models');
      void Promise.resolve().then(() => (this._pendingModels = null));
    }
    return this._pendingModels;
  }

  /** Fetch the messages that a request would send to the model. */
  preview(body: api.PreviewBody) {
    return this._send<api.Preview>('POST', 'generate/preview', body);
  }

  /** Set the default model. With null, the server chooses the default model. */
  async chooseModel(model: string | null): Promise<void> {
    await this._send('PUT', 'models/choice', { model });
  }

  /**
   * Test a provider. Return whether it lists the model; `no_list` if it lists none. If `key` and
   * `address` are null, the current ones are used. The current key is never sent to another address.
   *
   * @throws ApiError if the provider doesn't respond, or refuses the key.
   */
  async check(model: string, key: string | null, address: string | null) {
    const body = { model, key, address };
    return (await this._send<api.Check>('POST', 'models/check', body)).verdict;
  }

  /** Fetch the names of the models that a provider lists. `key` and `address` are as in `check`. */
  async modelNames(
    provider: string,
    key: string | null,
    address: string | null
  ) {
    const body = { provider, key, address };
    return (await this._send<api.ModelNames>('POST', 'models/names', body))
      .models;
  }

  /** The server never returns a saved key. */
  saveKey(
    provider: string,
    key: string | null,
    address: string | null,
    onThisMachine: boolean
  ) {
    const body = { key, address, onThisMachine } satisfies api.KeyBody;
    return this._send<void>('PUT', keyPath(provider), body);
  }

  setProviderLocation(provider: string, onThisMachine: boolean) {
    const body = { onThisMachine } satisfies api.PlaceBody;
    return this._send<void>('PATCH', keyPath(provider), body);
  }

  removeKey(provider: string) {
    return this._send<void>('DELETE', keyPath(provider));
  }

  /**
   * Install a local model, or follow its running installation. `name` is its name in the catalogue;
   * null for the smallest model. Aborting the request doesn't stop the installation.
   *
   * If `join` is true, only follow an installation: that of `name` or, if it is null, of any model.
   * Status 404 if none is running; 409 if another model is being installed.
   */
  installLocal(join: boolean, name: string | null, signal?: AbortSignal) {
    // Older servers don't know `name`.
    const body = { join, ...(name === null ? {} : { name }) };
    return this._stream<api.InstallEvent>('models/local/install', body, signal);
  }

  stopInstall() {
    return this._send<void>('DELETE', 'models/local/install');
  }

  /** Delete a local model's file and partial downloads from the server's disk. */
  removeLocal(name: string) {
    const path = `models/local/${encodeURIComponent(name)}`;
    return this._send<void>('DELETE', path);
  }

  /** Register an open notebook, and get its id. */
  openNotebook(body: api.NotebookBody) {
    return this._send<api.NotebookIdentity>('POST', 'notebooks', body);
  }

  /**
   * Return the folder of the git repository that contains the histories; null if there is none, or
   * if somebody has decided whether git ignores or merges them.
   */
  async undecidedRepository() {
    return (await this._get<api.Git>('git')).repository;
  }

  decideGit(choice: api.GitChoice) {
    return this._send<void>('POST', 'git', { choice });
  }

  /** Fetch the files with a project's conventions for models, and their texts. */
  async rulesFiles(path: string) {
    const body = { path } satisfies api.RulesFilesBody;
    return (await this._send<api.RulesFileList>('POST', 'rules-files', body))
      .files;
  }

  /** Fetch the tables in data files, named relative to the folder of the notebook `path`. */
  async dataFiles(path: string, names: string[]) {
    const body = { path, names } satisfies api.DataFilesBody;
    return (await this._send<api.DataFileList>('POST', 'data-files', body))
      .files;
  }

  async recipes(path: string) {
    const body = { path } satisfies api.RecipesBody;
    return (await this._send<api.RecipeList>('POST', 'recipes', body)).recipes;
  }

  /** A recipe with the same name is replaced only if `body.replace` is true. */
  saveRecipe(body: api.RecipeBody) {
    return this._send<void>('PUT', 'recipes', body);
  }

  /** Fetch the summaries of a notebook's sessions, including those of deleted cells. */
  async sessions(notebookId: string): Promise<api.SessionSummary[]> {
    const summaries: api.SessionSummary[] = [];
    for (;;) {
      const offset = `${summaries.length}`;
      const query = new URLSearchParams({ notebookId, offset });
      const slice = await this._get<api.SessionList>(`sessions?${query}`);
      summaries.push(...slice.sessions);
      if (summaries.length >= slice.total || !slice.sessions.length) {
        return summaries;
      }
    }
  }

  /** Fetch a cell's steps; empty if it has no session. */
  replay(key: api.ICellKey, signal?: AbortSignal) {
    return this._get<api.Replay>(`${sessionPath(key)}/replay`, signal);
  }

  /**
   * Fetch the contributor of each line of `body.source`; by default, of the version after
   * `body.step` or else the cell's last version.
   */
  blame(key: api.ICellKey, body: api.BlameBody, signal?: AbortSignal) {
    const path = `${sessionPath(key)}/blame`;
    return this._send<api.Blame>('POST', path, body, { signal });
  }

  /** Fetch a thumbnail by its SHA-256, which a run's event contains. */
  blob(sha256: string, signal?: AbortSignal) {
    const path = `blobs/${encodeURIComponent(sha256)}`;
    return call(this.settings, path, { signal }, response => response.blob());
  }

  /** Fetch what the model got for a turn. */
  turnPrompt(key: api.ICellKey, turnId: number, signal?: AbortSignal) {
    const path = `${sessionPath(key)}/turns/${turnId}/prompt`;
    return this._get<api.TurnPrompt>(path, signal);
  }

  /**
   * Fetch the sums of tokens, times and costs of the requests since `since`, in a notebook or, with
   * null, in all notebooks.
   */
  usage(notebookId: string | null, since?: Date, signal?: AbortSignal) {
    const query = new URLSearchParams({
      ...(notebookId === null ? {} : { notebookId }),
      ...(since ? { since: since.toISOString() } : {})
    });
    return this._get<api.UsageTotals>(`usage?${query}`, signal);
  }

  async usageTable(notebookId: string) {
    const query = new URLSearchParams({ notebookId });
    return (await this._get<api.UsageTable>(`usage/table?${query}`)).content;
  }

  timeline(notebookId: string, signal?: AbortSignal) {
    return this._get<api.Timeline>(
      `${notebookPath(notebookId)}/timeline`,
      signal
    );
  }

  /**
   * Fetch the notebook as it was after a moment: `index` in the timeline with this `version`, or
   * else in the current one.
   */
  moment(
    notebookId: string,
    index: number,
    version?: string,
    signal?: AbortSignal
  ) {
    const query = version ? `?${new URLSearchParams({ version })}` : '';
    const path = `${notebookPath(notebookId)}/moments/${index}${query}`;
    return this._get<api.NotebookSnapshot>(path, signal);
  }

  /** Fetch how many lines of the notebook each kind of contributor wrote. */
  report(notebookId: string) {
    return this._get<api.Report>(`${notebookPath(notebookId)}/report`);
  }

  exportReplay(notebookId: string, format: api.ExportFormat, path: string) {
    const body = { format, path } satisfies api.ExportBody;
    return this._send<api.Export>(
      'POST',
      `${notebookPath(notebookId)}/export`,
      body
    );
  }

  /** Search turns, in one notebook or in all. */
  search(body: api.ISearchRequest, signal?: AbortSignal) {
    return this._send<api.SearchResults>('POST', 'search', body, { signal });
  }

  record(key: api.ICellKey, events: api.EventBody[]) {
    const path = `${sessionPath(key)}/events`;
    return this._send<api.SessionEvent[]>('POST', path, events);
  }

  /** With `keepalive`, the browser finishes the request even if the page is closed. */
  recordChanges(notebookId: string, body: api.ChangesBody, keepalive = false) {
    const path = `${notebookPath(notebookId)}/changes`;
    return this._send<api.Changes>('POST', path, body, { keepalive });
  }

  /** Store a thumbnail and return its SHA-256. */
  async putBlob(image: Blob) {
    return (await this._send<{ sha256: string }>('PUT', 'blobs', image)).sha256;
  }

  private _get<T>(path: string, signal?: AbortSignal): Promise<T> {
    return call(this.settings, path, { signal }, readJson);
  }

  private _send<T>(
    method: IRequestOptions['method'],
    path: string,
    body?: unknown,
    options?: Pick<IRequestOptions, 'signal' | 'keepalive'>
  ): Promise<T> {
    const callOptions = { ...options, method, body };
    return call(this.settings, path, callOptions, readJson);
  }

  private async *_stream<E>(
    path: string,
    body: unknown,
    signal?: AbortSignal
  ): AsyncGenerator<E, void, void> {
    const responsePromise = request(this.settings, path, {
      method: 'POST',
      body,
      signal,
      headers: { Accept: 'text/event-stream' }
    });
    const response = await withTimeout(responsePromise, STREAM_TICKS);
    if (response.body) {
      yield* readEvents<E>(response.body);
    }
  }

  private _pendingModels: Promise<api.ModelList> | null = null;
}

function keyPath(provider: string): string {
  return `models/keys/${encodeURIComponent(provider)}`;
}

/** Encodes the ids, because a cell's may be any text. */
function sessionPath({ notebookId, cellId }: api.ICellKey): string {
  const ids = [notebookId, cellId].map(encodeURIComponent);
  return `sessions/${ids.join('/')}`;
}

function notebookPath(notebookId: string): string {
  return `notebooks/${encodeURIComponent(notebookId)}`;
}
