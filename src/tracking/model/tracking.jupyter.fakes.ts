/** A real Jupyter server with AI Server. Only the model is faked: see `tests/scripted_model.py`. */
import { ContentsManager, ServerConnection } from '@jupyterlab/services';
import { ChildProcess, spawn } from 'child_process';
import { mkdtempSync, rmSync } from 'fs';
import { tmpdir } from 'os';
import { join, resolve } from 'path';
import { createInterface } from 'readline';

import { ApiClient } from '../../api/client';
import type { NotebookBody } from '../../api/types';
import { type IServer, fakeKernel } from './tracking.fakes';

const REPOSITORY = resolve(__dirname, '..', '..', '..');

export class JupyterServer implements IServer {
  settings!: ServerConnection.ISettings;
  api!: ApiClient;
  contents!: ContentsManager;

  async start(): Promise<void> {
    this._model = run(['-m', 'tests.scripted_model', '--port', '0']);
    [this._modelUrl] = await outputMatch(
      this._model,
      /http:\/\/127\.0\.0\.1:\d+/
    );
    this._ports = run(['-m', 'tests.ports', '1']);
    [, this._port] = await outputMatch(this._ports, /^ports (\d+)$/);
    const baseUrl = `http://127.0.0.1:${this._port}/`;
    this.settings = ServerConnection.makeSettings({ baseUrl });
    this.api = new ApiClient(this.settings);
    this.contents = new ContentsManager({ serverSettings: this.settings });
    await this.begin();
  }

  register(body: NotebookBody): Promise<{ notebookId: string }> {
    return this.api.openNotebook(body);
  }

  storeImage(image: Blob): Promise<string> {
    return this.api.putBlob(image);
  }

  async setAnswer(answer: string): Promise<void> {
    const text = '```python\n' + answer + '\n```\n';
    const body = JSON.stringify([{ text }]);
    const url = `${this._modelUrl}/script`;
    const init = { method: 'POST', body };
    const settings = ServerConnection.makeSettings({
      baseUrl: this._modelUrl,
      init: { cache: 'default' } // By default, `makeRequest` adds a time to the URL.
    });
    await ServerConnection.makeRequest(url, init, settings);
  }

  /** After `kill`, the new process uses the same folder and port. */
  async begin(): Promise<void> {
    const options = {
      base_url: `${this._modelUrl}/v1`,
      api_key: 'of-the-test'
    };
    this._server = run([
      ...['-m', 'jupyter', 'server', '--no-browser', '--allow-root'],
      `--ServerApp.port=${this._port}`,
      '--ServerApp.port_retries=0',
      '--ServerApp.ip=127.0.0.1',
      `--ServerApp.root_dir=${this._root}`,
      '--ServerApp.disable_check_xsrf=True',
      '--IdentityProvider.token=',
      '--AIServer.model=openai:scripted',
      `--ModelRegistry.model_options=${JSON.stringify(options)}`
    ]);
    await outputMatch(this._server, /Jupyter Server .* is running at/);
    await this._waitUntilReachable();
  }

  /**
   * After `kill`, the first requests may fail, because they may use connections to the killed
   * process.
   */
  private async _waitUntilReachable(): Promise<void> {
    const url = `${this.settings.baseUrl}api`;
    let isReachable = false;
    while (!isReachable) {
      isReachable = await ServerConnection.makeRequest(
        url,
        {},
        this.settings
      ).then(
        ({ ok }) => ok,
        () => false
      );
    }
  }

  /** Without a shutdown, as if the machine had failed. */
  async kill(): Promise<void> {
    await kill(this._server);
  }

  async dispose(): Promise<void> {
    await this.kill();
    await kill(this._model);
    await kill(this._ports);
    rmSync(this._root, { recursive: true, force: true });
  }

  private readonly _root = mkdtempSync(join(tmpdir(), 'aiserver-spec-'));
  private _server: ChildProcess | null = null;
  private _model: ChildProcess | null = null;
  private _modelUrl = '';
  /** The process that reserves `_port` for the server. */
  private _ports: ChildProcess | null = null;
  private _port = '';
}

/** Return a server that runs during the tests of a spec. */
export function serverForTests(): JupyterServer {
  const server = new JupyterServer();
  beforeAll(() => {
    fakeKernel();
    return server.start();
  }, 60_000);
  afterAll(() => server.dispose());
  afterEach(() => document.body.replaceChildren());
  return server;
}

function run(args: string[]): ChildProcess {
  return spawn('python', args, {
    cwd: REPOSITORY,
    stdio: ['pipe', 'pipe', 'pipe']
  });
}

/** Reject if the process ends without a matching line. */
function outputMatch(
  child: ChildProcess,
  pattern: RegExp
): Promise<RegExpMatchArray> {
  const lines: string[] = [];
  return new Promise((resolve, reject) => {
    for (const stream of [child.stdout!, child.stderr!]) {
      createInterface({ input: stream }).on('line', line => {
        lines.push(line);
        const match = line.match(pattern);
        if (match) {
          resolve(match);
        }
      });
    }
    const hint = 'Is the environment with AI Server the first on the PATH?';
    child.on('error', () => reject(new Error(`There is no python. ${hint}`)));
    child.on('exit', () =>
      reject(new Error(`${hint}\n${lines.slice(-100).join('\n')}`))
    );
  });
}

async function kill(child: ChildProcess | null): Promise<void> {
  if (child && child.exitCode === null && child.signalCode === null) {
    const exited = new Promise(resolve => child.once('exit', resolve));
    child.kill('SIGKILL');
    await exited;
  }
}
