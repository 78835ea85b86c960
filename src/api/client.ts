/** A typed client of the HTTP API. Models (`model/`) use this client; widgets never do. */
import { ServerConnection } from '@jupyterlab/services';

import { IRequestOptions, call, request } from './request';
import { withTimeout } from './timeout';
import { readEvents } from './stream';
import type {
  AnalyzeBody,
  Blame,
  BlameBody,
  Changes,
  ChangesBody,
  Check,
  EventBody,
  Export,
  ExportBody,
  ExportFormat,
  GenerateBody,
  Git,
  GitChoice,
  ICellKey,
  ISearchRequest,
  InstallBody,
  InstallEvent,
  KeyBody,
  ModelList,
  ModelNames,
  NotebookBody,
  NotebookIdentity,
  NotebookSnapshot,
  PlaceBody,
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
  WarmUpBody
} from './types';

/** Ticks until a stream must begin; looking up a model beforehand takes time. */
const STREAM_TICKS = 24;

export class ApiClient {
  constructor(readonly settings: ServerConnection.ISettings) {}

  /** Generate code; a body with `dataframes` asks about DataFrames of the kernel. */
  generate(body: GenerateBody | AnalyzeBody, signal?: AbortSignal) {
    const path = 'dataframes' in body ? 'analyze-dataframe' : 'generate';
    return this._stream<StreamEvent>(path, body, signal);
  }

  /** Stop a generation; the generation's stream then ends with the event `cancelled`. */
  stop(generationId: string) {
    return this._send<void>('DELETE', `generate/${generationId}`);
  }

  warmUp(body: WarmUpBody) {
    return this._send<void>('POST', 'models/warm-up', body);
  }

  /** The available models. Simultaneous callers share one request. */
  models(): Promise<ModelList> {
    if (!this._models) {
      this._models = this._get('models');
      void Promise.resolve().then(() => (this._models = null));
    }
    return this._models;
  }

  /** Fetch the messages that a request would send to the model, without sending them. */
  preview(body: PreviewBody) {
    return this._send<Preview>('POST', 'generate/preview', body);
  }

  /** Choose the model for future requests; null resets the choice. */
  async chooseModel(model: string | null): Promise<void> {
    await this._send('PUT', 'models/choice', { model });
  }

  /**
   * Check whether a provider responds, accepts the key and has the model. Instead of the saved key
   * or address, a key or address in the body is used.
   */
  async check(model: string, key: string | null, address: string | null) {
    const body = { model, key, address };
    return (await this._send<Check>('POST', 'models/check', body)).verdict;
  }

  /** Fetch the models that a provider lists, with the passed key and address or the saved ones. */
  async modelNames(
    provider: string,
    key: string | null,
    address: string | null
  ) {
    const body = { provider, key, address };
    return (await this._send<ModelNames>('POST', 'models/names', body)).models;
  }

  /** Save the key and address of a provider. No call returns a saved key. */
  saveKey(
    provider: string,
    key: string | null,
    address: string | null,
    onThisMachine: boolean
  ) {
    const body = { key, address, onThisMachine } satisfies KeyBody;
    return this._send<void>('PUT', keyPath(provider), body);
  }

  /** Set whether the server at a provider's address runs on the Jupyter server's machine. */
  setProviderLocation(provider: string, onThisMachine: boolean) {
    const body = { onThisMachine } satisfies PlaceBody;
    return this._send<void>('PATCH', keyPath(provider), body);
  }

  removeKey(provider: string) {
    return this._send<void>('DELETE', keyPath(provider));
  }

  /**
   * Install the local model, or follow a running installation. With `join`, never begin an
   * installation (404 if none is running). Aborting the request doesn't stop the installation.
   */
  installLocal(join: boolean, signal?: AbortSignal) {
    const body = { join } satisfies Partial<InstallBody>;
    return this._stream<InstallEvent>('models/local/install', body, signal);
  }

  stopInstall() {
    return this._send<void>('DELETE', 'models/local/install');
  }

  openNotebook(body: NotebookBody) {
    return this._send<NotebookIdentity>('POST', 'notebooks', body);
  }

  /** The git repository for which it isn't decided yet how git handles the histories, if any. */
  async undecidedRepository() {
    return (await this._get<Git>('git')).repository;
  }

  /** Make git ignore the histories, or merge them. */
  decideGit(choice: GitChoice) {
    return this._send<void>('POST', 'git', { choice });
  }

  /** A summary for each cell of a notebook that has a session, deleted cells included. */
  async sessions(notebookId: string): Promise<SessionSummary[]> {
    const all: SessionSummary[] = [];
    for (;;) {
      const offset = `${all.length}`;
      const query = new URLSearchParams({ notebookId, offset });
      const page = await this._get<SessionList>(`sessions?${query}`);
      all.push(...page.sessions);
      if (all.length >= page.total || !page.sessions.length) {
        return all;
      }
    }
  }

  /** The steps of a cell; none if it has no session. */
  replay(key: ICellKey, signal?: AbortSignal) {
    return this._get<Replay>(`${sessionPath(key)}/replay`, signal);
  }

  /**
   * The contributor of each line: of `source` if it is passed, else of the version after `step` if
   * that is passed, else of the last version.
   */
  blame(key: ICellKey, body: BlameBody, signal?: AbortSignal) {
    const path = `${sessionPath(key)}/blame`;
    return this._send<Blame>('POST', path, body, { signal });
  }

  /** The thumbnail of an output, by the hash that its run recorded. */
  blob(sha256: string, signal?: AbortSignal) {
    const path = `blobs/${encodeURIComponent(sha256)}`;
    return call(this.settings, path, { signal }, response => response.blob());
  }

  /** The changes of all cells of a notebook, in one order. */
  timeline(notebookId: string, signal?: AbortSignal) {
    return this._get<Timeline>(`${notebookPath(notebookId)}/timeline`, signal);
  }

  /** The notebook as it was after a moment, in the given version of the timeline. */
  moment(
    notebookId: string,
    index: number,
    version?: string,
    signal?: AbortSignal
  ) {
    const query = version ? `?${new URLSearchParams({ version })}` : '';
    const path = `${notebookPath(notebookId)}/moments/${index}${query}`;
    return this._get<NotebookSnapshot>(path, signal);
  }

  /** The number of lines of the notebook by kind of contributor. */
  report(notebookId: string) {
    return this._get<Report>(`${notebookPath(notebookId)}/report`);
  }

  /** Export the notebook's replay as one file; `path` is the notebook's path. */
  exportReplay(notebookId: string, format: ExportFormat, path: string) {
    const body = { format, path } satisfies ExportBody;
    return this._send<Export>(
      'POST',
      `${notebookPath(notebookId)}/export`,
      body
    );
  }

  /** The turns that match a query, in one notebook or in all. */
  search(body: ISearchRequest, signal?: AbortSignal) {
    return this._send<SearchResults>('POST', 'search', body, { signal });
  }

  record(key: ICellKey, events: EventBody[]) {
    const path = `${sessionPath(key)}/events`;
    return this._send<SessionEvent[]>('POST', path, events);
  }

  /**
   * Record changes to the cells of a notebook. With `keepalive`, the browser finishes the request
   * even if the page is closed.
   */
  recordChanges(notebookId: string, body: ChangesBody, keepalive = false) {
    const path = `${notebookPath(notebookId)}/changes`;
    return this._send<Changes>('POST', path, body, { keepalive });
  }

  /** Store a thumbnail; returns its SHA-256. */
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
    const all = { ...options, method, body };
    return call(this.settings, path, all, readJson);
  }

  private async *_stream<E>(
    path: string,
    body: unknown,
    signal?: AbortSignal
  ): AsyncGenerator<E, void, void> {
    const pending = request(this.settings, path, {
      method: 'POST',
      body,
      signal,
      headers: { Accept: 'text/event-stream' }
    });
    const response = await withTimeout(pending, STREAM_TICKS);
    if (response.body) {
      yield* readEvents<E>(response.body);
    }
  }

  private _models: Promise<ModelList> | null = null;
}

/** The JSON of a response; undefined if it is empty. */
async function readJson(response: Response) {
  const text = await response.text();
  return text ? JSON.parse(text) : undefined;
}

function keyPath(provider: string): string {
  return `models/keys/${encodeURIComponent(provider)}`;
}

/** The URL path of a session. Ids are escaped, because a file may use any text as a cell's id. */
function sessionPath({ notebookId, cellId }: ICellKey): string {
  const ids = [notebookId, cellId].map(encodeURIComponent);
  return `sessions/${ids.join('/')}`;
}

function notebookPath(notebookId: string): string {
  return `notebooks/${encodeURIComponent(notebookId)}`;
}
